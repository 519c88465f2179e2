//! `TensorListReserve`: a list whose elements are still to be set.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListReserve(element_shape: shape_type, num_elements: int32) -> (handle: variant)",
    attrs: "element_dtype: type; shape_type: type in {int32, int64}",
    doc: "A list of num_elements elements that are not set; reading one gives zeros.",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_kernel::reserve)],
    ..WORDS
};
