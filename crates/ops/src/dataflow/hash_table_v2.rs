//! `HashTableV2`: makes a table.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "HashTableV2() -> (table_handle: resource)",
    attrs: "container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type",
    flags: "stateful",
    doc: "The handle of a table that is set once, by InitializeTable.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(lookup_table_kernel::make).inline()],
    ..WORDS
};
