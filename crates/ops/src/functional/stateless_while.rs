//! `StatelessWhile`: repeats a function as long as a condition holds.

use super::loop_kernel;
use super::output_shapes;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StatelessWhile(input: T) -> (output: T)",
    attrs: "T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10",
    doc: "input, after body was applied as often as cond holds.",
    shape: output_shapes::declared,
    kernels: &[Kernel::waiting(loop_kernel::build)],
    ..WORDS
};
