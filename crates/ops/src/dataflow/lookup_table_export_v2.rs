//! `LookupTableExportV2`: the whole contents.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "LookupTableExportV2(table_handle: resource) -> (keys: Tkeys, values: Tvalues)",
    attrs: "Tkeys: type; Tvalues: type",
    flags: "stateful",
    doc: "All keys and their values, in no order.",
    shape: lookup_table_kernel::exported_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::export)],
    ..WORDS
};
