//! `PartitionedCall`: calls a function.

use super::function_call::FunctionCall;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction};
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::Result;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "PartitionedCall(args: Tin) -> (output: Tout)",
    attrs: "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = \"\"; config_proto: string = \"\"; executor_type: string = \"\"",
    doc: "The results of function f on args.",
    shape: shape_inference::unknown,
    kernels: &[Kernel::waiting(build)],
    ..WORDS
};

struct PartitionedCall(FunctionCall);

/// Builds the kernel.
///
/// Errors: `InvalidArgument` without the attribute.
pub(super) fn build(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    Ok(Box::new(PartitionedCall(FunctionCall::new(c.node.attrs.func("f")?))))
}

impl AsyncOpKernel for PartitionedCall {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        self.0.run_as_node(ctx, 0, done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functional::function_call::tests::{changed, function, step_with};
    use crate::testing::OpTester;
    use ferroflow_tensor::{Code, DType, Tensor};

    #[test]
    fn the_results_are_the_functions() {
        let step = step_with(vec![("double", |a| changed(&a, |x| 2.0 * x))], true);
        let call = |name: &str, out: DType| {
            let tester = OpTester::new(&OP).input_list([Tensor::scalar(3f32)]).attr("Tout", vec![out]).attr("f", function(name));
            tester.step(&step).run_one()
        };
        assert_eq!(call("double", DType::Float).unwrap().to_scalar::<f32>().unwrap(), 6.0);
        assert_eq!(call("double", DType::Int32).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(call("nothing", DType::Float).unwrap_err().code(), Code::NotFound);
    }
}
