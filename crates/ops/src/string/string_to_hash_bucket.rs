//! `StringToHashBucket`: strings as numbers below a limit.

use super::fingerprint::hash64;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringToHashBucket(string_tensor: string) -> (output: int64)",
    attrs: "num_buckets: int >= 1",
    doc: "The remainder of a hash of each string when divided by `num_buckets`.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let n = ctx.node.attrs.int("num_buckets")? as u64;
    let buckets: Vec<i64> = x.as_strings()?.iter().map(|s| (hash64(s) % n.max(1)) as i64).collect();
    let y = Tensor::from_slice(x.shape().clone(), &buckets)?;
    ctx.set_output(0, y);
    Ok(())
}
