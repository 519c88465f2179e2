//! Kernels that run through a whole dataset in one execution.

use super::captured_function::CapturedFunction;
use super::dataset::{DatasetHandle, Element};
use super::iterator_context::IteratorContext;
use super::node_task::{element_outputs, end_with};
use super::task::pause;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result};

fn output_types(ctx: &AsyncOpContext) -> Vec<DType> {
    ctx.node.output_types.iter().map(|t| t.dtype).collect()
}

/// The kernel of `DatasetToSingleElement`.
pub(super) struct SingleElement;

impl AsyncOpKernel for SingleElement {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let dataset = match ctx.input(0).and_then(DatasetHandle::from_tensor) {
            Ok(dataset) => dataset,
            Err(e) => return done(Err(e)),
        };
        let (context, types) = (IteratorContext::new(&ctx.step), output_types(&ctx));
        let work = async move {
            let mut iterator = dataset.iterator(&context)?;
            let element = iterator.next(&context).await?.ok_or_else(|| invalid_argument("Dataset was empty."))?;
            if iterator.next(&context).await?.is_some() {
                return Err(invalid_argument("Dataset had more than one element."));
            }
            element_outputs(Some(element), &types)
        };
        end_with(&ctx, work, done);
    }
}

/// The kernel of `ReduceDataset`.
pub(super) struct Reduce;

impl AsyncOpKernel for Reduce {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let prepared = || {
            let dataset = DatasetHandle::from_tensor(ctx.input(0)?)?;
            let states = ctx.node.attrs.types("Tstate")?.len();
            let inputs = (1..ctx.inputs.len()).map(|i| ctx.input(i).cloned()).collect::<Result<Element>>()?;
            let (state, captured) = inputs.split_at_checked(states).ok_or_else(|| invalid_argument("inputs for the state are missing"))?;
            let function = CapturedFunction::of_step(&ctx.step, ctx.node.attrs.func("f")?, captured.to_vec())?;
            Ok((dataset, state.to_vec(), function))
        };
        let (dataset, mut state, function) = match prepared() {
            Ok(prepared) => prepared,
            Err(e) => return done(Err(e)),
        };
        let (context, types) = (IteratorContext::new(&ctx.step), output_types(&ctx));
        let work = async move {
            let mut iterator = dataset.iterator(&context)?;
            let function = function.instantiate(&context)?;
            while let Some(element) = iterator.next(&context).await? {
                state = function.call(&context, state.into_iter().chain(element).collect()).await?;
                pause().await;
            }
            element_outputs(Some(state), &types)
        };
        end_with(&ctx, work, done);
    }
}
