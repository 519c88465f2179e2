//! `For`: repeats a function for numbers from one to another.

use super::loop_kernel;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "For(start: int32, limit: int32, delta: int32, input: T) -> (output: T)",
    attrs: "T: list(type) >= 0; body: func",
    doc: "input, after input = body(i, input) for i = start, start + delta, … up to limit, which is not reached.",
    shape: shape_inference::unknown,
    kernels: &[Kernel::waiting(loop_kernel::build_for)],
    ..WORDS
};
