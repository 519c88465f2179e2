//! `DeserializeIterator`: takes an iterator to where another stood.

use super::iterator_resource::iterator_at;
use super::iterator_state::IteratorState;
use super::node_task::end_with;
use crate::prelude::*;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, Outputs};

pub const OP: OpSpec = OpSpec {
    signature: "DeserializeIterator(resource_handle: resource, serialized: variant) -> ()",
    flags: "stateful",
    doc: "Takes an iterator, which must have been set, to a position in its dataset that SerializeIterator gave.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| Ok(Box::new(DeserializeIterator)))],
    ..WORDS
};

struct DeserializeIterator;

impl AsyncOpKernel for DeserializeIterator {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let restore = || {
            let state = IteratorState::from_tensor(ctx.input(1)?)?;
            iterator_at(&ctx.step.resources, ctx.input(0)?)?.restore(state, &ctx.step)
        };
        let restored = match restore() {
            Ok(restored) => restored,
            Err(e) => return done(Err(e)),
        };
        end_with(&ctx, async move { restored.await.map(|()| Outputs::new()) }, done);
    }
}
