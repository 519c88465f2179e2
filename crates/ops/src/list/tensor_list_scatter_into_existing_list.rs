//! `TensorListScatterIntoExistingList`: rows of a tensor at places of a list.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListScatterIntoExistingList(input_handle: variant, tensor: element_dtype, indices: int32) -> (output_handle: variant)",
    attrs: "element_dtype: type",
    doc: "The list with row i of the tensor at indices[i].",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_rows::scatter_into)],
    ..WORDS
};
