//! `TensorListGetItem`: reads an element.

use super::list_kernel;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListGetItem(input_handle: variant, index: int32, element_shape: Tshape) -> (item: element_dtype)",
    attrs: "element_dtype: type; Tshape: type in {int32, int64} = int32",
    doc: "The element at the index.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(list_kernel::get_item)],
    ..WORDS
};
