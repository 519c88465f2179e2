//! `MutexLock`: waits for a mutex and holds it as long as its result lives.

use super::mutex_kernel::Locking;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MutexLock(mutex: resource) -> (mutex_lock: variant)",
    flags: "stateful",
    doc: "A lock: nobody else has one of this mutex until it is gone.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| Ok(Box::new(Locking)))],
    ..WORDS
};
