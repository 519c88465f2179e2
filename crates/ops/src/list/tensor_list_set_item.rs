//! `TensorListSetItem`: replaces an element.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListSetItem(input_handle: variant, index: int32, item: element_dtype) -> (output_handle: variant)",
    attrs: "element_dtype: type; resize_if_index_out_of_bounds: bool = false",
    doc: "The list with the tensor at the index.",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_kernel::set_item)],
    ..WORDS
};
