//! `TensorListStack`: the elements below each other.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListStack(input_handle: variant, element_shape: int32) -> (tensor: element_dtype)",
    attrs: "element_dtype: type; num_elements: int = -1",
    doc: "One tensor with a row per element.",
    shape: list_shapes::stacked,
    kernels: &[Kernel::cpu(list_rows::stack)],
    ..WORDS
};
