//! `IsVariableInitialized`: whether a variable by reference has a value.

use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::{Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "IsVariableInitialized(ref: Ref(dtype)) -> (is_initialized: bool)",
    attrs: "dtype: type",
    flags: "uninitialized_input",
    doc: "True if the variable has been assigned.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let answer = ctx.input_ref(0)?.is_initialized();
    ctx.set_output(0, Tensor::scalar(answer));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::OpTester;
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::DType;
    use std::sync::Arc;

    #[test]
    fn a_variable_counts_as_initialized_from_its_first_value_on() {
        let variable = Arc::new(Variable::new("v", DType::Float));
        let ask = || OpTester::new(&OP).input_ref(variable.clone()).run_one().unwrap().to_scalar::<bool>().unwrap();
        assert!(!ask());
        variable.set(Tensor::scalar(1f32));
        assert!(ask());
    }
}
