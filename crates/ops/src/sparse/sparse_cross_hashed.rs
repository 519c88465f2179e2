//! `SparseCrossHashed`: all combinations of features, hashed.

use super::crossing::{Crossed, Feature, cross, put_hash, shape};
use crate::prelude::*;
use crate::string::fingerprint::{concatenated, fingerprint64, sip_hash};

pub const OP: OpSpec = OpSpec {
    signature: "SparseCrossHashed(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types, num_buckets: int64, strong_hash: bool, salt: int64) -> (output_indices: int64, output_values: int64, output_shape: int64)",
    attrs: "N: int >= 0; sparse_types: list(type) >= 0 in {int64, string}; dense_types: list(type) >= 0 in {int64, string}",
    doc: "For each row the combinations of one feature of each column, hashed into `num_buckets`, as a sparse matrix; if `strong_hash`, texts are hashed with the key `salt`.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let last = ctx.num_inputs();
    let (buckets, strong) = (ctx.scalar::<i64>(last - 3, "num_buckets")?, ctx.scalar::<bool>(last - 2, "strong_hash")?);
    let &[first, second] = ctx.slice::<i64>(last - 1)? else {
        return Err(invalid_argument(format!("salt must have two elements, got {}", ctx.input(last - 1)?.shape())));
    };
    let buckets = u64::try_from(buckets).map_err(|_| invalid_argument(format!("num_buckets must be >= 0, got {buckets}")))?;
    let number = move |f: &Feature| match f {
        Feature::Number(n) => *n as u64,
        // TF takes only the first half of the number's bytes.
        Feature::SparseNumber(n) if strong => sip_hash([first as u64, second as u64], &n.to_le_bytes()[..4]),
        Feature::SparseNumber(n) => fingerprint64(&n.to_le_bytes()[..4]),
        Feature::Text(s) if strong => sip_hash([first as u64, second as u64], s),
        Feature::Text(s) => fingerprint64(s),
    };
    cross(ctx, Crossed::Numbers(vec![]), |features, out| {
        let hash = features.iter().map(number).reduce(concatenated).unwrap_or(0);
        put_hash(hash, buckets, out)
    })
}
