//! `TensorListPushBackBatch`: adds an element to each of several lists.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListPushBackBatch(input_handles: variant, tensor: element_dtype) -> (output_handles: variant)",
    attrs: "element_dtype: type",
    doc: "Each list with a row of the tensor at its end.",
    shape: list_shapes::like_first,
    kernels: &[Kernel::cpu(list_kernel::push_back_batch)],
    ..WORDS
};
