//! What `StringToHashBucket` and its relatives share.

use crate::prelude::*;

/// The remainder of `hash` of each string at input 0 when divided by `num_buckets`.
///
/// Errors: `InvalidArgument` if the input is no string tensor.
pub(super) fn compute(ctx: &mut OpKernelContext, hash: impl Fn(&[u8]) -> u64) -> Result<()> {
    let x = ctx.input(0)?;
    let n = ctx.node.attrs.int("num_buckets")? as u64;
    let buckets: Vec<i64> = x.as_strings()?.iter().map(|s| (hash(s) % n.max(1)) as i64).collect();
    let y = Tensor::from_slice(x.shape().clone(), &buckets)?;
    ctx.set_output(0, y);
    Ok(())
}
