//! `ParseTensor`: the tensor of a string.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParseTensor(serialized: string) -> (output: out_type)",
    attrs: "out_type: type",
    doc: "The tensor that the message `TensorProto` holds; it must be of type `out_type`.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let ([bytes], true) = (x.as_strings()?, x.shape().is_scalar()) else {
        return Err(invalid_argument(format!("Expected `serialized` to be a scalar, got shape: {}", x.shape())));
    };
    let y = crate::sparse::serialized::from_bytes(bytes)?;
    let wanted = ctx.node.output_types[0].dtype;
    if y.dtype() != wanted {
        return Err(invalid_argument(format!("Type mismatch between parsed tensor ({}) and dtype ({wanted})", y.dtype())));
    }
    ctx.set_output(0, y);
    Ok(())
}
