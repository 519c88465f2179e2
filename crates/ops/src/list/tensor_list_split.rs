//! `TensorListSplit`: cuts a tensor into elements.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListSplit(tensor: element_dtype, element_shape: shape_type, lengths: int64) -> (output_handle: variant)",
    attrs: "element_dtype: type; shape_type: type in {int32, int64}",
    doc: "A list whose element i is the next lengths[i] rows of the tensor.",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_rows::split)],
    ..WORDS
};
