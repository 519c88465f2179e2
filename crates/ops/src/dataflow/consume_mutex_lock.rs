//! `ConsumeMutexLock`: keeps a lock alive until those it waits for are done.

use super::mutex_kernel::is_lock;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ConsumeMutexLock(mutex_lock: variant) -> ()",
    flags: "stateful",
    doc: "Nothing; but the lock is not released before this runs.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    match ctx.input(0)?.as_variants()? {
        [variant] if is_lock(variant) => Ok(()),
        _ => Err(invalid_argument("Expected input to be a mutex lock")),
    }
}
