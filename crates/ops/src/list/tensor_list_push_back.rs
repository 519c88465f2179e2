//! `TensorListPushBack`: adds an element.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListPushBack(input_handle: variant, tensor: element_dtype) -> (output_handle: variant)",
    attrs: "element_dtype: type",
    doc: "The list with the tensor at its end.",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_kernel::push_back)],
    ..WORDS
};
