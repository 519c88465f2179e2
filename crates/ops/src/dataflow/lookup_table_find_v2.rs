//! `LookupTableFindV2`: values by key.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "LookupTableFindV2(table_handle: resource, keys: Tin, default_value: Tout) -> (values: Tout)",
    attrs: "Tin: type; Tout: type",
    flags: "stateful",
    doc: "The values of the keys; the default value where there is none.",
    shape: lookup_table_kernel::found_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::find)],
    ..WORDS
};
