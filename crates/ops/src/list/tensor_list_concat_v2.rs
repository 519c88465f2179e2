//! `TensorListConcatV2`: joins the elements.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListConcatV2(input_handle: variant, element_shape: shape_type, leading_dims: int64) -> (tensor: element_dtype, lengths: int64)",
    attrs: "element_dtype: type; shape_type: type in {int32, int64}",
    doc: "The elements joined along their first dimensions, and the lengths of these; leading_dims are those of elements that are not set.",
    shape: list_shapes::concatenated,
    kernels: &[Kernel::cpu(list_rows::concat)],
    ..WORDS
};
