//! `TensorListLength`: how many elements there are.

use super::list_kernel;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListLength(input_handle: variant) -> (length: int32)",
    doc: "The number of elements.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(list_kernel::length)],
    ..WORDS
};
