//! `DestroyTemporaryVariable`: ends a temporary variable and returns its last value.

use super::temporary_variable::step_name;
use super::variable_access::LegacyVar;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::Result;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "DestroyTemporaryVariable(ref: Ref(T)) -> (value: T)",
    attrs: "T: type; var_name: string",
    doc: "The value of the temporary variable of this name, which is gone then.",
    shape: shape_inference::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let value = ctx.input_ref(0)?.read()?;
    ctx.step.step_resources.delete::<LegacyVar>("", &step_name(ctx.node, ctx.frame_iter)?)?;
    ctx.set_output(0, value);
    Ok(())
}
