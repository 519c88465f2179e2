//! `ParseExampleDatasetV2`: features of serialised examples.

use super::parse_examples::compute;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParseExampleDatasetV2(input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> (handle: variant)",
    attrs: "sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list(type) >= 0 in {float, int64, string}; Tdense: list(type) >= 0 in {float, int64, string}; dense_shapes: list(shape) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; deterministic: string = \"default\"; ragged_keys: list(string) >= 0 = []; ragged_value_types: list(type) >= 0 in {float, int64, string} = []; ragged_split_types: list(type) >= 0 in {int32, int64} = []",
    doc: "Of vectors of serialised examples the features `sparse_keys` as sparse, `dense_keys` as dense and `ragged_keys` as ragged tensors, in order of the keys.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};
