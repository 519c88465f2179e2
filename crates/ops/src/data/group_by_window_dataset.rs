//! `GroupByWindowDataset`: groups of elements with equal keys, reduced.

use super::dataset::{emit, input_dataset};
use super::group_by_window::GroupByWindow;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GroupByWindowDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, reduce_func_other_arguments: Treduce_func_other_arguments, window_size_func_other_arguments: Twindow_size_func_other_arguments) -> (handle: variant)",
    attrs: "key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments: list(type) >= 0; Twindow_size_func_other_arguments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "Elements gathered by key_func(element); a group of window_size_func(key) elements becomes reduce_func(key, group), a dataset, whose elements come next.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let group = GroupByWindow::new(ctx, input.clone())?;
    emit(ctx, &[&input], group)
}
