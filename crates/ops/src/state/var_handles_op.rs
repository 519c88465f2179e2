//! `_VarHandlesOp`: the handles of several resource variables; graph optimisers make it of `VarHandleOp`s.

use super::var_handle_op::handle;
use super::variable_access::check_names;
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{PartialShape, Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "_VarHandlesOp() -> (resources: N * resource)",
    attrs: "containers: list(string); shared_names: list(string); N: int >= 0; dtypes: list(type); shapes: list(shape)",
    flags: "stateful",
    doc: "One handle per container and shared name.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build).inline()],
    ..WORDS
};

struct VarHandles(Vec<Tensor>);

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let (containers, names, n) = (attrs.strs("containers")?, attrs.strs("shared_names")?, attrs.count("N")?);
    let (dtypes, shapes) = (attrs.dtypes("dtypes")?, attrs.shapes("shapes")?);
    if [containers.len(), names.len(), dtypes.len(), shapes.len()] != [n; 4] {
        return Err(invalid_argument(format!("containers, shared_names, dtypes and shapes must have N = {n} entries each")));
    }
    let text = |bytes| std::str::from_utf8(bytes).map_err(|_| invalid_argument("a container or shared name is not UTF-8 text"));
    let mut handles = Vec::with_capacity(n);
    for i in 0..n {
        let container = text(&containers[i])?;
        check_names(container, "")?;
        let container = c.resources.container(container);
        handles.push(handle(&c.device.name, container, text(&names[i])?, dtypes[i], shapes[i].clone()));
    }
    Ok(Box::new(VarHandles(handles)))
}

impl OpKernel for VarHandles {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        self.0.iter().enumerate().for_each(|(i, h)| ctx.set_output(i, h.clone()));
        Ok(())
    }
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let attrs = &c.node().attrs;
    for (i, (dtype, shape)) in attrs.dtypes("dtypes")?.into_iter().zip(attrs.shapes("shapes")?).enumerate() {
        c.set_output(i, PartialShape::scalar());
        c.set_output_handle(i, Some((dtype, shape.clone())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::OpTester;
    use bytes::Bytes;
    use ferroflow_tensor::{Code, DType};

    #[test]
    fn the_lists_must_have_one_length() {
        let tester = |n: i64| {
            OpTester::new(&OP)
                .attr("containers", vec![Bytes::new(); 2])
                .attr("shared_names", vec![Bytes::from("a"), Bytes::from("b")])
                .attr("dtypes", vec![DType::Float; 2])
                .attr("shapes", vec![PartialShape::scalar(); 2])
                .attr("N", n)
        };
        assert_eq!(tester(2).run().unwrap().len(), 2);
        assert_eq!(tester(3).run().unwrap_err().code(), Code::InvalidArgument);
    }
}
