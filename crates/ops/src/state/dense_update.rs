//! The kernels of `AssignAdd`, `AssignSub` and their forms on resources: a variable changes by a tensor of its own shape, in place.

use super::variable_access::{pass_reference, variable_of_type};
use crate::parallel::pool;
use crate::types::{unsupported, with_numeric};
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_math::{BinaryOp, Broadcast, Side, binary_in_place};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// Adds input 1 to the variable at input 0.
///
/// Errors: `FailedPrecondition` if it has no value; `InvalidArgument` if the shapes differ.
pub(super) fn add(ctx: &mut OpKernelContext) -> Result<()> {
    change(ctx, BinaryOp::Add)
}

/// Subtracts input 1 from the variable at input 0.
///
/// Errors: as [`add`].
pub(super) fn subtract(ctx: &mut OpKernelContext) -> Result<()> {
    change(ctx, BinaryOp::Sub)
}

fn change(ctx: &mut OpKernelContext, op: BinaryOp) -> Result<()> {
    let delta = ctx.input(1)?;
    let dtype = delta.dtype();
    let variable = variable_of_type(ctx, 0, dtype)?;
    variable.update(|value| {
        if value.shape() != delta.shape() {
            return Err(invalid_argument(format!(
                "Cannot update variable with shape {} using a Tensor with shape {}, shapes must be equal.",
                value.shape(),
                delta.shape()
            )));
        }
        with_numeric!(dtype => T, {
            let delta = delta.as_slice::<T>()?;
            let plan = Broadcast::same(delta.len());
            binary_in_place(&pool(ctx.step), op, &plan, Side::Left, value.make_mut::<T>()?, delta)
                .map_err(|e| invalid_argument(e.to_string()))
        }, else { Err(unsupported(ctx.node.op_name(), dtype)) })
    })?;
    pass_reference(ctx)
}
