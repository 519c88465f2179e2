//! `TensorListGather`: several elements below each other.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListGather(input_handle: variant, indices: int32, element_shape: int32) -> (values: element_dtype)",
    attrs: "element_dtype: type",
    doc: "One tensor with a row per index.",
    shape: list_shapes::stacked,
    kernels: &[Kernel::cpu(list_rows::gather)],
    ..WORDS
};
