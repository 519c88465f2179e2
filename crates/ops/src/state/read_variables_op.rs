//! `_ReadVariablesOp`: the values of several resource variables; graph optimisers make it of `ReadVariableOp`s.

use super::variable_access::{of_type, variable_to_read};
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "_ReadVariablesOp(resources: N * resource) -> (values: dtypes)",
    attrs: "N: int >= 0; dtypes: list(type) >= 1",
    flags: "stateful",
    doc: "One value per handle.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let dtypes = ctx.node.attrs.dtypes("dtypes")?;
    if dtypes.len() != ctx.num_inputs() {
        return Err(invalid_argument(format!("{} dtypes are given for {} variables", dtypes.len(), ctx.num_inputs())));
    }
    for (i, dtype) in dtypes.into_iter().enumerate() {
        let value = of_type(variable_to_read(ctx, i)?, dtype)?.read()?;
        ctx.set_output(i, value);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 0..c.num_inputs() {
        if let Some((_, shape)) = c.input_handle(i) {
            c.set_output(i, shape);
        }
    }
    Ok(())
}
