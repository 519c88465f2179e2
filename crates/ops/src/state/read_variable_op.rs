//! `ReadVariableOp`: the value of a resource variable.

use super::variable_access::{of_type, variable_to_read};
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_graph::{Grad, Operation, OutGrads};
use ferroflow_tensor::Result;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ReadVariableOp(resource: resource) -> (value: dtype)",
    attrs: "dtype: type",
    flags: "stateful",
    doc: "The variable's current value, shared with it until one of both changes.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let value = of_type(variable_to_read(ctx, 0)?, ctx.node.attrs.dtype("dtype")?)?.read()?;
    ctx.set_output(0, value);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some((_, shape)) = c.input_handle(0) {
        c.set_output(0, shape);
    }
    Ok(())
}

/// The gradient of a variable is that of its value; rows stay rows.
fn gradient(_: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![grads.get(0).cloned()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_tensor::{Code, DType};

    #[test]
    fn a_snapshot_keeps_its_value() {
        let step = bare_step(1);
        let v = handle(&step, "v", Some(tensor(&[1], &[1f32])));
        let read = || OpTester::new(&OP).input(v.clone()).attr("dtype", DType::Float).step(&step).run_one().unwrap();
        let before = read();
        OpTester::named("AssignAddVariableOp").input(v.clone()).input(tensor(&[1], &[1f32])).step(&step).run().unwrap();
        assert_eq!((before.as_slice::<f32>().unwrap()[0], read().as_slice::<f32>().unwrap()[0]), (1.0, 2.0));
    }

    #[test]
    fn a_missing_variable_and_a_wrong_type_are_refused() {
        let step = bare_step(1);
        let v = handle(&step, "v", Some(tensor(&[1], &[1f32])));
        let read = |v, dtype| OpTester::new(&OP).input(v).attr("dtype", dtype).step(&step).run().unwrap_err().code();
        assert_eq!(read(v, DType::Double), Code::InvalidArgument);
        assert_eq!(read(handle(&step, "w", None), DType::Float), Code::FailedPrecondition);
    }

    #[test]
    fn the_gradient_passes_through_to_the_handle() {
        let graph = crate::graph();
        let v = graph.op("VarHandleOp").attr("dtype", DType::Float).attr("shape", ferroflow_tensor::PartialShape::scalar()).output();
        let read = graph.op("ReadVariableOp").input(v).attr("dtype", DType::Float).build();
        let g = read.output(0);
        let grads = [Some(Grad::Dense(g.clone()))];
        assert!(matches!(&gradient(&read, &OutGrads::new(&read, &grads)).unwrap()[..], [Some(Grad::Dense(d))] if *d == g));
        assert_eq!(read.output(0).shape().rank(), Some(0));
    }
}
