//! The state of a `tf.random.Generator` in a variable: what the ops that move it on share (TF: `stateful_random_ops`).

use crate::prelude::*;
use crate::state::variable_access::variable_of_type;

/// How many blocks TF sets aside for each number.
const BLOCKS_PER_NUMBER: u128 = 256;

/// Moves the generator at input 0 on by what `delta` numbers may need, and returns its state before: the counter's halves and the key.
///
/// Errors: `InvalidArgument` for another algorithm than Philox or a variable that is no state of one; `FailedPrecondition` without a value.
pub(super) fn skip(ctx: &OpKernelContext, algorithm: i64, delta: u64) -> Result<[i64; 3]> {
    if algorithm != 1 {
        return Err(invalid_argument(format!("Unsupported algorithm id: {algorithm}")));
    }
    let variable = variable_of_type(ctx, 0, DType::Int64)?;
    variable.update(|state| {
        if state.rank() != 1 {
            return Err(invalid_argument(format!("RNG state must have one and only one dimension, not {}", state.rank())));
        }
        let [low, high, key, ..] = state.make_mut::<i64>()? else {
            return Err(invalid_argument(format!(
                "For the Philox algorithm, the size of state must be at least 3; got {}",
                state.num_elements()
            )));
        };
        let before = [*low, *high, *key];
        let counter = u128::from(*low as u64) | u128::from(*high as u64) << 64;
        let counter = counter.wrapping_add(u128::from(delta).wrapping_mul(BLOCKS_PER_NUMBER));
        (*low, *high) = (counter as u64 as i64, (counter >> 64) as u64 as i64);
        Ok(before)
    })
}
