//! `LookupTableFind`: values by key.

use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use super::lookup_table_kernel;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "LookupTableFind(table_handle: Ref(string), keys: Tin, default_value: Tout) -> (values: Tout)",
    attrs: "Tin: type; Tout: type",
    doc: "The values of the keys; the default value where there is none.",
    shape: lookup_table_kernel::found_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::find)],
    ..WORDS
};
