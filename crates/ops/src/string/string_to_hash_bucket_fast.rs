//! `StringToHashBucketFast`: strings as numbers below a limit.

use super::fingerprint::fingerprint64;
use super::hash_buckets;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringToHashBucketFast(input: string) -> (output: int64)",
    attrs: "num_buckets: int >= 1",
    doc: "The remainder of FarmHash's fingerprint of each string when divided by `num_buckets`.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| hash_buckets::compute(ctx, fingerprint64))],
    ..WORDS
};
