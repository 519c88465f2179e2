//! `DisableCopyOnRead`: tells a variable that reads need not copy; savers emit it.

use super::variable_access::variable_to_read;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::Result;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "DisableCopyOnRead(resource: resource) -> ()",
    flags: "stateful",
    doc: "Nothing is to be done: reads never copy here.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    variable_to_read(ctx, 0).map(|_| ())
}
