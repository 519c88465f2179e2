//! `LookupTableInsert`: sets values of keys.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "LookupTableInsert(table_handle: Ref(string), keys: Tin, values: Tout) -> ()",
    attrs: "Tin: type; Tout: type",
    doc: "Later pairs win over earlier ones.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::insert)],
    ..WORDS
};
