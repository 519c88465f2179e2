//! `RngSkip`: moves on a generator whose state is in a variable.

use super::generator_state::skip;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RngSkip(resource: resource, algorithm: int64, delta: int64) -> ()",
    flags: "stateful",
    doc: "Moves the generator on by what `delta` numbers may need.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    skip(ctx, ctx.scalar::<i64>(1, "algorithm")?, ctx.scalar::<i64>(2, "delta")? as u64).map(drop)
}
