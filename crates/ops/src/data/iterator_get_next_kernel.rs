//! The kernels that step an iterator: they hold no thread while the element is being made.

use super::iterator_resource::iterator_at;
use super::node_task::{element_outputs, end_with};
use crate::list::optional::OptionalValue;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, Outputs};
use ferroflow_tensor::{DType, Result};
use smallvec::smallvec;

/// The kernel of `IteratorGetNext`.
pub(super) struct GetNext;

impl AsyncOpKernel for GetNext {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let next = match ctx.input(0).and_then(|handle| iterator_at(&ctx.step.resources, handle)?.next()) {
            Ok(next) => next,
            Err(e) => return done(Err(e)),
        };
        let types: Vec<DType> = ctx.node.output_types.iter().map(|t| t.dtype).collect();
        end_with(&ctx, async move { element_outputs(next.await?, &types) }, done);
    }
}

/// The kernel of `IteratorGetNextAsOptional`.
pub(super) struct GetNextAsOptional;

impl AsyncOpKernel for GetNextAsOptional {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let next = match ctx.input(0).and_then(|handle| iterator_at(&ctx.step.resources, handle)?.next()) {
            Ok(next) => next,
            Err(e) => return done(Err(e)),
        };
        let as_optional = async move {
            let optional = OptionalValue::new(next.await?).into_tensor()?;
            Result::<Outputs>::Ok(smallvec![Some(optional.into())])
        };
        end_with(&ctx, as_optional, done);
    }
}
