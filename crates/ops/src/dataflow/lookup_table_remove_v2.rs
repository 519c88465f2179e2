//! `LookupTableRemoveV2`: removes keys.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "LookupTableRemoveV2(table_handle: resource, keys: Tin) -> ()",
    attrs: "Tin: type",
    flags: "stateful",
    doc: "Removes the keys; unknown ones are no error.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::remove)],
    ..WORDS
};
