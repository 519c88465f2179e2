//! `SerializeTensor`: a tensor as a string.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SerializeTensor(tensor: T) -> (serialized: string)",
    attrs: "T: type",
    doc: "The message `TensorProto` of `tensor`.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let bytes = crate::sparse::serialized::to_bytes(ctx.input(0)?)?;
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}
