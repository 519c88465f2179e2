//! `StatelessRandomUniformIntV2`: integers that depend on key and counter alone.

use super::counter_based;
use super::integers::between;
use super::shape_argument::requested_shape;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype) -> (output: dtype)",
    attrs: "dtype: type in {int32, int64, uint32, uint64}; Tshape: type in {int32, int64} = int32",
    doc: "Integers of the requested shape, uniform in [minval, maxval); equal keys and counters give equal numbers.",
    shape: counter_based::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("dtype", &[DType::Int32, DType::Int64, DType::UInt32, DType::UInt64])],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let generator = counter_based::generator(ctx, 1)?;
    let y = between(ctx.step, &generator, ctx.input(4)?, ctx.input(5)?, requested_shape(ctx, 0)?)?;
    ctx.set_output(0, y);
    Ok(())
}
