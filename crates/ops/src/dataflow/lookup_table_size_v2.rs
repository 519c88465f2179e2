//! `LookupTableSizeV2`: how many keys a table has.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "LookupTableSizeV2(table_handle: resource) -> (size: int64)",
    flags: "stateful",
    doc: "The number of keys.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::size)],
    ..WORDS
};
