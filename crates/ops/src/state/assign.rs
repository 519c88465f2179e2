//! `Assign`: gives a variable by reference a value.

use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T))",
    attrs: "T: type; validate_shape: bool = true; use_locking: bool = true",
    flags: "uninitialized_input",
    doc: "The reference, after its variable took the value. With validate_shape the shape must be the variable's.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Takes the value's memory; whoever else holds it keeps its own view, because updates copy what is shared.
fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let variable = ctx.input_ref(0)?.clone();
    if ctx.node.attrs.bool("validate_shape")? {
        let new = ctx.input(1)?.shape();
        let (fits, old) = match variable.get() {
            Some(old) => (old.shape() == new, old.shape().to_string()),
            None => (variable.declared_shape().matches(new), variable.declared_shape().to_string()),
        };
        if !fits {
            return Err(invalid_argument(format!("Assign requires shapes of both tensors to match. lhs shape= {old} rhs shape= {new}")));
        }
    }
    variable.set(ctx.take_input(1)?);
    ctx.pass_on(0, 0)
}

/// With validation both shapes together, else that of the value.
fn shape(c: &mut ShapeContext) -> Result<()> {
    let value = c.input(1);
    let out = if c.node().attrs.bool("validate_shape")? { c.input(0).merge(&value)? } else { value };
    c.set_output(0, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, tensor};
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::{Code, DType, PartialShape, Tensor};
    use std::sync::Arc;

    fn assign(variable: &Arc<Variable>, value: Tensor, validate: bool) -> Result<Tensor> {
        OpTester::new(&OP).input_ref(variable.clone()).input(value).attr("validate_shape", validate).run_one()
    }

    #[test]
    fn the_value_is_seen_through_the_reference() {
        let variable = Arc::new(Variable::new("v", DType::Float));
        let out = assign(&variable, tensor(&[2], &[1f32, 2.0]), true).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [1.0, 2.0]);
        assert_eq!(variable.read().unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0]);
    }

    #[test]
    fn a_shape_is_validated_only_if_asked() {
        let variable = Arc::new(Variable::new("v", DType::Float));
        variable.set(tensor(&[2], &[1f32, 2.0]));
        let error = assign(&variable, tensor(&[3], &[0f32; 3]), true).unwrap_err();
        assert_eq!(error.bare_message(), "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]");
        assert_eq!(variable.read().unwrap().num_elements(), 2);
        assert_eq!(assign(&variable, tensor(&[3], &[0f32; 3]), false).unwrap().num_elements(), 3);
    }

    #[test]
    fn the_first_value_must_have_the_declared_shape() {
        let variable = Arc::new(Variable::with_shape("v", DType::Float, PartialShape::new(&[Some(2)])));
        assert_eq!(assign(&variable, tensor(&[3], &[0f32; 3]), true).unwrap_err().code(), Code::InvalidArgument);
        assert!(!variable.is_initialized());
        assert!(assign(&variable, tensor(&[2], &[0f32; 2]), true).is_ok());
    }

    #[test]
    fn an_update_does_not_reach_the_tensor_that_was_assigned() {
        let variable = Arc::new(Variable::new("v", DType::Float));
        let value = tensor(&[1], &[1f32]);
        assign(&variable, value.clone(), true).unwrap();
        OpTester::named("AssignAdd").input_ref(variable.clone()).input(tensor(&[1], &[5f32])).run().unwrap();
        assert_eq!(value.as_slice::<f32>().unwrap(), [1.0]);
        assert_eq!(variable.read().unwrap().as_slice::<f32>().unwrap(), [6.0]);
    }
}
