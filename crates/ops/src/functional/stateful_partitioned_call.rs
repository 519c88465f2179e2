//! `StatefulPartitionedCall`: calls a function.

use super::partitioned_call::build;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StatefulPartitionedCall(args: Tin) -> (output: Tout)",
    attrs: "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = \"\"; config_proto: string = \"\"; executor_type: string = \"\"",
    flags: "stateful",
    doc: "The results of function f on args.",
    shape: shape_inference::unknown,
    kernels: &[Kernel::waiting(build)],
    ..WORDS
};
