//! `TensorListConcat`: joins the elements.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListConcat(input_handle: variant) -> (tensor: element_dtype, lengths: int64)",
    attrs: "element_dtype: type; element_shape: shape = unknown",
    doc: "The elements joined along their first dimensions, and the lengths of these.",
    shape: list_shapes::concatenated,
    kernels: &[Kernel::cpu(list_rows::concat)],
    ..WORDS
};
