//! The kernel of `Variable` and `VariableV2`: hands out a reference to the variable that its name stands for.

use super::variable_access::{LegacyVar, shared_name, wrong_dtype};
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext, Variable};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::{DType, PartialShape, Result};
use std::sync::Arc;

struct RefVariable {
    container: String,
    name: String,
    dtype: DType,
    shape: PartialShape,
}

/// Builds the kernel.
///
/// Errors: `InvalidArgument` for names that TF does not allow.
pub(super) fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let (container, name) = shared_name(c.node, c.resources)?;
    Ok(Box::new(RefVariable { container, name, dtype: c.node.attrs.dtype("dtype")?, shape: c.node.attrs.shape("shape")?.clone() }))
}

impl OpKernel for RefVariable {
    /// Looks the variable up each time: a reset of its container must not leave the old one in use.
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let make = || Ok(LegacyVar(Arc::new(Variable::with_shape(self.name.as_str(), self.dtype, self.shape.clone()))));
        let variable = ctx.resources().lookup_or_create(&self.container, &self.name, make)?.0.clone();
        if variable.dtype() != self.dtype {
            return Err(wrong_dtype(&variable, self.dtype));
        }
        ctx.set_output_ref(0, variable);
        Ok(())
    }
}

/// The output has the declared shape.
///
/// Errors: `InvalidArgument` if the attribute is missing.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let declared = c.node().attrs.shape("shape")?.clone();
    c.set_output(0, declared);
    Ok(())
}
