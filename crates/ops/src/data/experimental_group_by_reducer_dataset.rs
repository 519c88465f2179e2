//! `ExperimentalGroupByReducerDataset`: elements with equal keys folded into one; the name that programs of version 1 use.

use super::group_by_reducer_dataset::compute;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ExperimentalGroupByReducerDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments: Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments) -> (handle: variant)",
    attrs: "key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: list(type) >= 0; Tinit_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments: list(type) >= 0; Tfinalize_func_other_arguments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    flags: "stateful",
    doc: "As GroupByReducerDataset.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};
