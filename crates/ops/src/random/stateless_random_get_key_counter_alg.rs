//! `StatelessRandomGetKeyCounterAlg`: key and counter of a seed, and the algorithm.

use super::stateless_random_get_key_counter;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomGetKeyCounterAlg(seed: Tseed) -> (key: uint64, counter: uint64, alg: int32)",
    attrs: "Tseed: type in {int32, int64} = int64",
    doc: "The key and counter that the stateless ops make of `seed`, and the number of the algorithm.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    stateless_random_get_key_counter::compute(ctx)?;
    // Philox.
    ctx.set_output(2, Tensor::scalar(1i32));
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    stateless_random_get_key_counter::shape(c)?;
    c.set_output(2, PartialShape::scalar());
    Ok(())
}
