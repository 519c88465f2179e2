//! `InitializeTable`: sets a table that is set once.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "InitializeTable(table_handle: Ref(string), keys: Tkey, values: Tval) -> ()",
    attrs: "Tkey: type; Tval: type",
    doc: "The table holds these pairs from now on.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::initialize)],
    ..WORDS
};
