//! `SparseCross`: all combinations of features (version 1: joined, or hashed, as attributes say).

use super::crossing::{Crossed, Feature, cross, put_hash, put_text, shape};
use crate::prelude::*;
use crate::string::fingerprint::{concatenated, fingerprint64};

pub const OP: OpSpec = OpSpec {
    signature: "SparseCross(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types) -> (output_indices: int64, output_values: out_type, output_shape: int64)",
    attrs: "N: int >= 0; hashed_output: bool; num_buckets: int >= 0; hash_key: int; sparse_types: list(type) >= 0 in {int64, string}; dense_types: list(type) >= 0 in {int64, string}; out_type: type in {int64, string}; internal_type: type in {int64, string}",
    doc: "For each row the combinations of one feature of each column as a sparse matrix: joined by `_X_` or, if `hashed_output`, hashed into `num_buckets`.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (hashed, buckets, key) = (attrs.bool("hashed_output")?, attrs.count("num_buckets")? as u64, attrs.int("hash_key")? as u64);
    let (out, internal) = (attrs.dtype("out_type")?, attrs.dtype("internal_type")?);
    let given = [attrs.dtypes("sparse_types")?, attrs.dtypes("dense_types")?].concat();
    if internal == DType::String && given.iter().any(|t| *t != DType::String) {
        return Err(invalid_argument("inputs should be of internal type string, not int64"));
    }
    match (hashed, out) {
        (false, DType::String) => cross(ctx, Crossed::Texts(vec![]), |features, out| put_text(features, b"_X_", out)),
        (true, DType::Int64) => cross(ctx, Crossed::Numbers(vec![]), |features, out| {
            let number = |f: &Feature| match f {
                Feature::Number(n) | Feature::SparseNumber(n) => *n as u64,
                Feature::Text(s) => fingerprint64(s),
            };
            put_hash(features.iter().fold(key, |hash, f| concatenated(hash, number(f))), buckets, out)
        }),
        _ => Err(invalid_argument(format!("hashed_output = {hashed} does not go with out_type {out}"))),
    }
}
