//! The kernel of `OneShotIterator`: the first execution calls the function that makes the dataset; all later ones return the handle.

use super::captured_function::CapturedFunction;
use super::iterator_context::IteratorContext;
use super::iterator_resource::{IteratorResource, check_declared};
use super::node_task::end_with;
use super::turns::Turns;
use crate::dataflow::resource_handle::unique_number;
use crate::state::variable_access::check_names;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction, ResourceManager};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{ResourceHandle, Result, Tensor};
use smallvec::smallvec;
use std::sync::Arc;

struct OneShot {
    resources: Arc<ResourceManager>,
    container: String,
    name: String,
    is_private: bool,
    handle: Tensor,
    /// What making the iterator came to. Steps that come meanwhile wait.
    made: Arc<Turns<Option<Result<()>>>>,
}

/// Builds the kernel.
///
/// Errors: `InvalidArgument` for names that TF does not allow.
pub(super) fn build(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    let attrs = &c.node.attrs;
    let (container, shared) = (attrs.str("container")?, attrs.str("shared_name")?);
    check_names(container, shared)?;
    let is_private = shared.is_empty();
    let name = if is_private { format!("_{}_{}", unique_number(c.resources)?, c.node.name) } else { shared.to_owned() };
    let container = c.resources.container(container).to_owned();
    let handle = Tensor::resource(ResourceHandle {
        device: c.device.name.to_string(),
        container: container.clone(),
        name: name.clone(),
        maybe_type_name: IteratorResource::TYPE_NAME.to_owned(),
        ..ResourceHandle::default()
    });
    Ok(Box::new(OneShot { resources: c.resources.clone(), container, name, is_private, handle, made: Turns::new(None) }))
}

impl AsyncOpKernel for OneShot {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let (turn, handle) = (self.made.queue_up(), self.handle.clone());
        let (container, name) = (self.container.clone(), self.name.clone());
        let (node, step) = (ctx.node.clone(), ctx.step.clone());
        let work = async move {
            let mut made = turn.come().await.ok_or_else(|| internal("the iterator was lost in a panic"))?;
            if made.as_ref().is_none_or(Option::is_none) {
                let make = async {
                    let function = CapturedFunction::of_step(&step, node.attrs.func("dataset_factory")?, vec![])?;
                    let is_new = step.resources.lookup::<IteratorResource>(&container, &name).is_err();
                    let iterator = step.resources.lookup_or_create(&container, &name, || IteratorResource::of_node(&node))?;
                    check_declared(&iterator, &node)?;
                    if is_new {
                        let context = IteratorContext::new(&step);
                        let dataset = function.instantiate(&context)?.call_for_dataset(&context, vec![]).await?;
                        iterator.set(&dataset, &step)?;
                    }
                    Ok(())
                };
                let result = make.await;
                *made = Some(Some(result));
            }
            match made.as_ref().and_then(Option::as_ref) {
                Some(Err(e)) => Err(e.clone()),
                _ => Ok(smallvec![Some(handle.into())]),
            }
        };
        end_with(&ctx, work, done);
    }
}

impl Drop for OneShot {
    fn drop(&mut self) {
        if self.is_private {
            // It may never have been made, or its container may have been reset.
            let _ = self.resources.delete::<IteratorResource>(&self.container, &self.name);
        }
    }
}
