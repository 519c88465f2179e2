//! `TensorListResize`: changes the number of elements.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListResize(input_handle: variant, size: int32) -> (output_handle: variant)",
    doc: "The list cut off or filled up with elements that are not set.",
    shape: list_shapes::handle,
    kernels: &[Kernel::cpu(list_kernel::resize)],
    ..WORDS
};
