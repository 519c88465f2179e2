//! `StatelessRandomGetKeyCounter`: key and counter of a seed.

use super::philox_source::key_and_counter;
use super::shape_argument::seed_pair;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomGetKeyCounter(seed: Tseed) -> (key: uint64, counter: uint64)",
    attrs: "Tseed: type in {int32, int64} = int64",
    doc: "The key and counter that the stateless ops make of `seed`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

pub(super) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (key, counter) = key_and_counter(seed_pair(ctx, 0)?);
    ctx.set_output(0, Tensor::vector(&[key])?);
    ctx.set_output(1, Tensor::vector(&counter)?);
    Ok(())
}

pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    if c.with_rank(0, 1)?.dim(0).is_some_and(|n| n != 2) {
        return Err(invalid_argument(format!("seed must have shape [2], not {}", c.input(0))));
    }
    c.set_output(0, PartialShape::new(&[Some(1)]));
    c.set_output(1, PartialShape::new(&[Some(2)]));
    Ok(())
}
