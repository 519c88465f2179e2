//! `TensorListScatterV2`: rows of a tensor at places of a new list.

use super::list_rows;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListScatterV2(tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32) -> (output_handle: variant)",
    attrs: "element_dtype: type; shape_type: type in {int32, int64}",
    doc: "A list of num_elements elements (-1: as many as are needed) that has row i of the tensor at indices[i].",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_rows::scatter)],
    ..WORDS
};
