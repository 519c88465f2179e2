//! `MutableHashTableOfTensors`: makes a table; the form whose handle is a reference to a string.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "MutableHashTableOfTensors() -> (table_handle: Ref(string))",
    attrs: "container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type; value_shape: shape = []",
    flags: "stateful",
    doc: "The handle of a table of tensors of one shape, to which pairs can be added at any time.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(lookup_table_kernel::make).inline()],
    ..WORDS
};
