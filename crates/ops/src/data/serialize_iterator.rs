//! `SerializeIterator`: where an iterator stands, for a checkpoint.

use super::iterator_resource::iterator_at;
use super::node_task::end_with;
use crate::prelude::*;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, Outputs};
use smallvec::smallvec;

pub const OP: OpSpec = OpSpec {
    signature: "SerializeIterator(resource_handle: resource) -> (serialized: variant)",
    attrs: "external_state_policy: int = 0",
    flags: "stateful",
    doc: "The position of an iterator, as DeserializeIterator takes it.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| Ok(Box::new(SerializeIterator)))],
    ..WORDS
};

struct SerializeIterator;

impl AsyncOpKernel for SerializeIterator {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let state = match ctx.input(0).and_then(|handle| iterator_at(&ctx.step.resources, handle)?.save()) {
            Ok(state) => state,
            Err(e) => return done(Err(e)),
        };
        let saved = async move { Result::<Outputs>::Ok(smallvec![Some(state.await?.into_tensor()?.into())]) };
        end_with(&ctx, saved, done);
    }
}
