//! `LogicalNot`: negation.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LogicalNot(x: bool) -> (y: bool)",
    doc: "y = not x.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let mut y = Tensor::for_overwrite(DType::Bool, x.shape().clone())?;
    ferroflow_math::logical_not(x.as_slice()?, y.as_mut_slice()?);
    ctx.set_output(0, y);
    Ok(())
}
