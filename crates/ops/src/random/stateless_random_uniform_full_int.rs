//! `StatelessRandomUniformFullInt`: integers of the whole type that depend on the seed alone.

use super::integers::full;
use super::shape_argument::{requested_shape, seeded, with_seed_pair};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomUniformFullInt(shape: T, seed: Tseed) -> (output: dtype)",
    attrs: "dtype: type in {int32, int64, uint32, uint64} = uint64; T: type in {int32, int64} = int32; Tseed: type in {int32, int64, uint32, uint64} = int64",
    doc: "Integers of the requested shape, uniform over all that `dtype` has; equal seeds give equal numbers.",
    shape: with_seed_pair,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("dtype", &[DType::Int32, DType::Int64, DType::UInt32, DType::UInt64]).on("Tseed", INDEX)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let generator = seeded(ctx, 1)?;
    let y = full(ctx.step, &generator, ctx.node.attrs.dtype("dtype")?, requested_shape(ctx, 0)?)?;
    ctx.set_output(0, y);
    Ok(())
}
