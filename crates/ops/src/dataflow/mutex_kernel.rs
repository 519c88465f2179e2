//! A mutex that steps hold: its state, and the lock as the value of a variant (TF: `Mutex`, `Mutex::SharedLockReleaser`).

use super::waiting_line::WaitingLine;
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, Outputs, Resource};
use ferroflow_tensor::{Variant, VariantValue};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Whether somebody holds it, and those who wait.
pub(super) struct Mutex(Arc<WaitingLine<bool>>);

impl Resource for Mutex {
    fn type_name(&self) -> &'static str {
        "Mutex"
    }
}

impl Default for Mutex {
    fn default() -> Mutex {
        Mutex(Arc::new(WaitingLine::new(false)))
    }
}

/// The lock: whoever drops the last reference to it releases the mutex.
pub(super) struct Lock(Arc<WaitingLine<bool>>);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.with(|held| *held = false);
    }
}

impl fmt::Debug for Lock {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Lock")
    }
}

impl VariantValue for Lock {
    fn type_name(&self) -> &str {
        "(anonymous namespace)::Mutex::SharedLockReleaser"
    }

    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// Whether a variant holds a lock.
pub(super) fn is_lock(variant: &Variant) -> bool {
    matches!(variant, Variant::Value(value) if value.as_any().is::<Lock>())
}

/// The kernel that waits for the mutex.
pub(super) struct Locking;

impl AsyncOpKernel for Locking {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let found = ctx.input(0).and_then(|t| match t.as_resources()? {
            [handle] => ctx.step.resources.lookup_handle::<Mutex>(handle),
            _ => Err(invalid_argument(format!("mutex must be a scalar handle, got shape {}", t.shape()))),
        });
        let mutex = match found {
            Ok(mutex) => mutex,
            Err(e) => return done(Err(e)),
        };
        let line = mutex.0.clone();
        let attempt = move |held: &mut bool| {
            if std::mem::replace(held, true) {
                return None;
            }
            let lock = Variant::Value(Arc::new(Lock(line.clone())));
            Some(Tensor::variants(Shape::scalar(), vec![lock]).map(|t| [Some(Value::Tensor(t))].into_iter().collect::<Outputs>()))
        };
        mutex.0.attempt(&ctx.step.cancellation, Box::new(attempt), done);
    }
}
