//! `AssignAddVariableOp`: adds a tensor to a resource variable, in place.

use super::dense_update;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "AssignAddVariableOp(resource: resource, value: dtype) -> ()",
    attrs: "dtype: type",
    flags: "stateful",
    doc: "Changes the variable. Shapes must be equal.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(dense_update::add).on("dtype", NUMERIC)],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::{Code, Tensor};

    #[test]
    fn the_variable_changes_in_place() {
        let step = bare_step(2);
        let v = handle(&step, "v", Some(tensor(&[2], &[1f32, 2.0])));
        OpTester::new(&OP).input(v.clone()).input(tensor(&[2], &[1f32, 1.0])).step(&step).run().unwrap();
        let value = step.resources.lookup::<Variable>("", "v").unwrap().read().unwrap();
        assert_eq!(value.as_slice::<f32>().unwrap(), [2.0, 3.0]);
        let wrong_shape = OpTester::new(&OP).input(v.clone()).input(Tensor::scalar(1f32)).step(&step).run().unwrap_err();
        let text = "Cannot update variable with shape [2] using a Tensor with shape [], shapes must be equal.";
        assert_eq!(wrong_shape.bare_message(), text);
        let wrong_type = OpTester::new(&OP).input(v).input(tensor(&[2], &[1f64, 1.0])).step(&step).run().unwrap_err();
        assert_eq!(wrong_type.code(), Code::InvalidArgument);
    }

    #[test]
    fn a_variable_that_does_not_exist_is_not_found() {
        let step = bare_step(1);
        let error = OpTester::new(&OP).input(handle(&step, "v", None)).input(Tensor::scalar(1f32)).step(&step).run().unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
    }
}
