//! `TensorListElementShape`: what the elements' shape is known to be.

use super::list_kernel;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListElementShape(input_handle: variant) -> (element_shape: shape_type)",
    attrs: "shape_type: type in {int32, int64}",
    doc: "The shape of the elements, -1 where it is unknown; a scalar -1 if even the rank is.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(list_kernel::element_shape)],
    ..WORDS
};
