//! `StatelessRandomUniformInt`: integers that depend on the seed alone.

use super::integers::between;
use super::shape_argument::{requested_shape, seeded, with_seed_pair};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype) -> (output: dtype)",
    attrs: "dtype: type in {int32, int64}; T: type in {int32, int64}; Tseed: type in {int32, int64} = int64",
    doc: "Integers of the requested shape, uniform in [minval, maxval); equal seeds give equal numbers.",
    shape: with_seed_pair,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("dtype", INDEX)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let generator = seeded(ctx, 1)?;
    let y = between(ctx.step, &generator, ctx.input(2)?, ctx.input(3)?, requested_shape(ctx, 0)?)?;
    ctx.set_output(0, y);
    Ok(())
}
