//! `StatelessRandomUniformFullIntV2`: integers of the whole type that depend on key and counter alone.

use super::counter_based;
use super::integers::full;
use super::shape_argument::requested_shape;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)",
    attrs: "dtype: type in {int32, int64, uint32, uint64} = uint64; Tshape: type in {int32, int64} = int32",
    doc: "Integers of the requested shape, uniform over all that `dtype` has; equal keys and counters give equal numbers.",
    shape: counter_based::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("dtype", &[DType::Int32, DType::Int64, DType::UInt32, DType::UInt64])],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let generator = counter_based::generator(ctx, 1)?;
    let y = full(ctx.step, &generator, ctx.node.attrs.dtype("dtype")?, requested_shape(ctx, 0)?)?;
    ctx.set_output(0, y);
    Ok(())
}
