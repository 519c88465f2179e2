//! What the stateless ops with an explicit key and counter share (TF: `stateless_random_ops_v2`).

use super::shape_argument::{Distribution, draw, from_first_input, requested_shape};
use crate::prelude::*;
use ferroflow_tensor::Philox;

/// The generator of inputs `first` (key), the next (counter) and the one after (algorithm).
///
/// Errors: `InvalidArgument` for shapes that are wrong; `Unimplemented` for another algorithm than Philox.
pub(super) fn generator(ctx: &OpKernelContext, first: usize) -> Result<Philox> {
    let (key, counter, algorithm) = (ctx.input(first)?, ctx.input(first + 1)?, ctx.input(first + 2)?);
    let (&[1], &[2]) = (key.dims(), counter.dims()) else {
        return Err(invalid_argument(format!("key must have shape [1] and counter [2], not {} and {}", key.shape(), counter.shape())));
    };
    if !algorithm.shape().is_scalar() {
        return Err(invalid_argument(format!("algorithm must be of shape [], not {}", algorithm.shape())));
    }
    // 1 is Philox; 3 leaves the choice to the device.
    match algorithm.to_i64()? {
        1 | 3 => {}
        2 => return Err(unimplemented("the algorithm ThreeFry has no CPU kernel")),
        other => return Err(invalid_argument(format!("Unsupported algorithm id: {other}"))),
    }
    let (key, counter) = (key.as_slice::<u64>()?, counter.as_slice::<u64>()?);
    Ok(Philox::from_parts(u128::from(counter[0]) | u128::from(counter[1]) << 64, key[0]))
}

/// The kernel of an op that draws floating-point numbers.
///
/// Errors: as [`generator`]; `InvalidArgument` for a shape that is none.
pub(super) fn floats(ctx: &mut OpKernelContext, distribution: Distribution) -> Result<()> {
    let generator = generator(ctx, 1)?;
    let shape = requested_shape(ctx, 0)?;
    let out = draw(ctx.step, &generator, distribution, ctx.node.attrs.dtype("dtype")?, shape)?;
    ctx.set_output(0, out);
    Ok(())
}

/// The output has the shape that input 0 asks for; key, counter and algorithm have theirs.
///
/// Errors: `InvalidArgument` for others.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 1)?;
    c.with_rank(2, 1)?;
    c.with_rank(3, 0)?;
    from_first_input(c)
}
