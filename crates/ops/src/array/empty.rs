//! `Empty`: a tensor of a shape.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Empty(shape: int32) -> (output: dtype)",
    attrs: "dtype: type; init: bool = false",
    flags: "stateful",
    doc: "A tensor of `shape`; its elements are zero whatever `init` says.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let shape = ctx.input(0)?;
    if shape.rank() != 1 {
        return Err(invalid_argument(format!("shape must be a vector of int32, got shape {}", shape.shape())));
    }
    let y = Tensor::zeros(ctx.node.output_types[0].dtype, super::dims::shape_from(shape, "shape")?)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(0)?;
    c.set_output(0, s);
    Ok(())
}
