//! `VarIsInitializedOp`: whether a resource variable exists and has a value.

use super::variable_access::handle_in;
use ferroflow_graph::kernel::{OpKernelContext, Variable};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::{Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "VarIsInitializedOp(resource: resource) -> (is_initialized: bool)",
    flags: "stateful",
    doc: "True if the variable has been assigned.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let variable = ctx.resources().lookup_handle::<Variable>(handle_in(ctx.input(0)?)?);
    ctx.set_output(0, Tensor::scalar(variable.is_ok_and(|v| v.is_initialized())));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step};

    #[test]
    fn a_missing_variable_is_no_error() {
        let step = bare_step(1);
        let ask = |v| OpTester::new(&OP).input(v).step(&step).run_one().unwrap().to_scalar::<bool>().unwrap();
        assert!(!ask(handle(&step, "v", None)));
        assert!(ask(handle(&step, "w", Some(Tensor::scalar(1f32)))));
    }
}
