//! `TensorListPopBack`: takes the last element off.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListPopBack(input_handle: variant, element_shape: int32) -> (output_handle: variant, tensor: element_dtype)",
    attrs: "element_dtype: type",
    doc: "The list without its last element, and that element.",
    shape: list_shapes::popped,
    kernels: &[Kernel::cpu(list_kernel::pop_back)],
    ..WORDS
};
