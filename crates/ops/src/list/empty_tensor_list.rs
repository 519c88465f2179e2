//! `EmptyTensorList`: an empty list.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "EmptyTensorList(element_shape: shape_type, max_num_elements: int32) -> (handle: variant)",
    attrs: "element_dtype: type; shape_type: type in {int32, int64}",
    doc: "An empty list of elements of this type and shape; it may get max_num_elements of them (-1: any number).",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_kernel::empty)],
    ..WORDS
};
