//! `VarHandleOp`: the handle of a resource variable.

use super::variable_access::{VARIABLE_TYPE_NAME, check_names};
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::{DType, PartialShape, ResourceHandle, Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "VarHandleOp() -> (resource: resource)",
    attrs: "container: string = \"\"; shared_name: string = \"\"; debug_name: string = \"\"; dtype: type; shape: shape; allowed_devices: list(string) = []",
    flags: "stateful",
    doc: "A handle that names the variable by container and shared name. The variable itself is made by its first assignment.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build).inline()],
    ..WORDS
};

struct VarHandle(Tensor);

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let (container, name) = (attrs.str("container")?, attrs.str("shared_name")?);
    check_names(container, "")?;
    let container = c.resources.container(container);
    Ok(Box::new(VarHandle(handle(&c.device.name, container, name, attrs.dtype("dtype")?, attrs.shape("shape")?.clone()))))
}

/// The handle of a variable.
pub(super) fn handle(device: &str, container: &str, name: &str, dtype: DType, shape: PartialShape) -> Tensor {
    Tensor::resource(ResourceHandle {
        device: device.to_owned(),
        container: container.to_owned(),
        name: name.to_owned(),
        hash_code: 0,
        maybe_type_name: VARIABLE_TYPE_NAME.to_owned(),
        dtypes_and_shapes: vec![(dtype, shape)],
    })
}

impl OpKernel for VarHandle {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        ctx.set_output(0, self.0.clone());
        Ok(())
    }
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let data = (c.node().attrs.dtype("dtype")?, c.node().attrs.shape("shape")?.clone());
    c.set_output(0, PartialShape::scalar());
    c.set_output_handle(0, Some(data));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::handle_in;
    use crate::testing::{OpTester, bare_step};

    #[test]
    fn the_handle_names_the_variable_and_what_it_holds() {
        let step = bare_step(1);
        let tester = || OpTester::new(&OP).attr("shared_name", "v").attr("dtype", DType::Float).attr("shape", PartialShape::scalar());
        let out = tester().step(&step).run_one().unwrap();
        let handle = handle_in(&out).unwrap();
        assert_eq!((handle.name.as_str(), handle.container.as_str()), ("v", step.resources.default_container()));
        assert_eq!(handle.dtypes_and_shapes, [(DType::Float, PartialShape::scalar())]);
        assert!(tester().attr("container", "a b").run().is_err());
    }
}
