//! `TensorListConcatLists`: one list after the other.

use super::list_kernel;
use super::list_shapes;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorListConcatLists(input_a: variant, input_b: variant) -> (output: variant)",
    attrs: "element_dtype: type",
    doc: "Each list of input_a followed by the one of input_b.",
    shape: list_shapes::like_first,
    kernels: &[Kernel::cpu(list_kernel::concat_lists)],
    ..WORDS
};
