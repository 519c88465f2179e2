//! `StringToHashBucketStrong`: strings as numbers below a limit, hashed under a key.

use super::fingerprint::sip_hash;
use super::hash_buckets;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringToHashBucketStrong(input: string) -> (output: int64)",
    attrs: "num_buckets: int >= 1; key: list(int)",
    doc: "The remainder of SipHash of each string under `key` when divided by `num_buckets`.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let [a, b] = *ctx.node.attrs.ints("key")? else { return Err(invalid_argument("Key must have 2 elements")) };
    hash_buckets::compute(ctx, |s| sip_hash([a as u64, b as u64], s))
}
