//! `TensorListFromTensor`: the rows of a tensor as a list.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListFromTensor(tensor: element_dtype, element_shape: shape_type) -> (output_handle: variant)",
    attrs: "element_dtype: type; shape_type: type in {int32, int64}",
    doc: "A list with one element per row of the tensor.",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_rows::from_tensor)],
    ..WORDS
};
