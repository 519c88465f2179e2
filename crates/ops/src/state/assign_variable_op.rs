//! `AssignVariableOp`: gives a resource variable a value, making it if it does not exist.

use super::variable_access::handle_in;
use ferroflow_graph::kernel::{OpKernelContext, Variable};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{PartialShape, Result};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "AssignVariableOp(resource: resource, value: dtype) -> ()",
    attrs: "dtype: type; validate_shape: bool = false",
    flags: "stateful",
    doc: "The variable takes the value, whatever its shape was; with validate_shape the shape must stay.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Takes the value's memory; whoever else holds it keeps its own view, because updates copy what is shared.
fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let handle = handle_in(ctx.input(0)?)?;
    let dtype = ctx.node.attrs.dtype("dtype")?;
    let make = || {
        let declared = handle.dtypes_and_shapes.first().map_or_else(PartialShape::unknown, |d| d.1.clone());
        Ok(Variable::with_shape(handle.name.as_str(), dtype, declared))
    };
    let variable = ctx.resources().lookup_or_create(&handle.container, &handle.name, make)?;
    if variable.dtype() != dtype {
        return Err(invalid_argument(format!("Trying to assign variable with wrong dtype. Expected {} got {dtype}", variable.dtype())));
    }
    if ctx.node.attrs.bool("validate_shape")? {
        let new = ctx.input(1)?.shape();
        let known = variable.get().map_or_else(|| variable.declared_shape().clone(), |t| t.shape().into());
        if !known.matches(new) {
            return Err(invalid_argument(format!("Trying to assign to variable with tensor with wrong shape. Expected {known} got {new}")));
        }
    }
    variable.set(ctx.take_input(1)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some((dtype, shape)) = c.input_handle(0) {
        let value_type = c.node().attrs.dtype("dtype")?;
        if dtype != value_type {
            return Err(invalid_argument(format!(
                "Trying to initialize handle for variable with wrong dtype. Expected {dtype} got {value_type}"
            )));
        }
        shape.merge(&c.input(1))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_tensor::Code;

    #[test]
    fn the_first_assignment_makes_the_variable() {
        let step = bare_step(1);
        let v = handle(&step, "v", None);
        OpTester::new(&OP).input(v).input(tensor(&[2], &[1f32, 2.0])).step(&step).run().unwrap();
        let value = step.resources.lookup::<Variable>("", "v").unwrap().read().unwrap();
        assert_eq!(value.as_slice::<f32>().unwrap(), [1.0, 2.0]);
    }

    #[test]
    fn the_type_must_stay_and_the_shape_if_asked() {
        let step = bare_step(1);
        let v = handle(&step, "v", Some(tensor(&[2], &[1f32, 2.0])));
        let assign = |value, validate: bool| {
            OpTester::new(&OP)
                .input(v.clone())
                .input(value)
                .attr("validate_shape", validate)
                .step(&step)
                .run()
                .map(|_| ())
                .map_err(|e| e.code())
        };
        assert_eq!(assign(tensor(&[2], &[1f64, 2.0]), false), Err(Code::InvalidArgument));
        assert_eq!(assign(tensor(&[1], &[1f32]), true), Err(Code::InvalidArgument));
        assert!(assign(tensor(&[1], &[1f32]), false).is_ok());
        let not_a_handle = OpTester::new(&OP).input(tensor(&[1], &[1f32])).input(tensor(&[1], &[1f32])).run();
        assert_eq!(not_a_handle.unwrap_err().code(), Code::InvalidArgument);
    }
}
