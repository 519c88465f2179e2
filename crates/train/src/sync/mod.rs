//! `SyncReplicas`: replicas that make one update together (TF: `SyncReplicasOptimizer`).
//!
//! Each replica pushes its gradients into an accumulator beside each variable and then waits for a token. When enough gradients
//! have come, the chief takes their means, applies them once, and hands out tokens that carry the new global step. A gradient
//! computed for an older step is dropped by the accumulator.

mod build;
mod hook;

pub use hook::SyncHook;

use crate::optimizer::Optimizer;
use crate::variable::Variable;
use build::Built;
use ferroflow_graph::{Grad, Operation};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{failed_precondition, invalid_argument};
use parking_lot::Mutex;
use std::sync::Arc;

/// Wraps an optimizer so that several replicas make each update together.
pub struct SyncReplicas<O> {
    inner: O,
    replicas_to_aggregate: u32,
    total_replicas: u32,
    built: Mutex<Option<Arc<Built>>>,
}

impl<O: Optimizer> SyncReplicas<O> {
    /// All of `num_workers` replicas take part in each update.
    pub fn new(inner: O, num_workers: u32) -> SyncReplicas<O> {
        SyncReplicas { inner, replicas_to_aggregate: num_workers, total_replicas: num_workers, built: Mutex::default() }
    }

    /// Does not wait for the slowest `n` replicas: their late gradients are dropped.
    pub fn backup_workers(mut self, n: u32) -> SyncReplicas<O> {
        self.replicas_to_aggregate = self.total_replicas.saturating_sub(n);
        self
    }

    /// How many gradients make an update. May exceed the number of replicas: then each computes several per update.
    pub fn replicas_to_aggregate(mut self, n: u32) -> SyncReplicas<O> {
        self.replicas_to_aggregate = n;
        self
    }

    /// The hook that every replica's monitored session needs. Call it after the training operation has been built.
    ///
    /// Errors: `FailedPrecondition` before that.
    pub fn hook(&self, is_chief: bool) -> Result<SyncHook> {
        let built = self.built.lock().clone();
        let built = built.ok_or_else(|| failed_precondition("SyncReplicas: build the training operation before its hook"))?;
        Ok(SyncHook::new(built, is_chief))
    }
}

impl<O: Optimizer> Optimizer for SyncReplicas<O> {
    fn apply_gradients(&self, grads: &[(Grad, Variable)], step: Option<&Variable>) -> Result<Operation> {
        let Some(step) = step else {
            return Err(invalid_argument("Global step is required to check staleness"));
        };
        if self.replicas_to_aggregate == 0 {
            return Err(invalid_argument("an update must wait for at least one replica"));
        }
        let built = Arc::new(build::build(&self.inner, grads, step, self.replicas_to_aggregate, self.total_replicas)?);
        let train_op = built.train_op.clone();
        *self.built.lock() = Some(built);
        Ok(train_op)
    }
}
