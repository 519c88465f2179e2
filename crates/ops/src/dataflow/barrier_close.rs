//! `BarrierClose`: closes a barrier.

use super::barrier_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BarrierClose(handle: Ref(string)) -> ()",
    attrs: "cancel_pending_enqueues: bool = false",
    doc: "Allows no new keys from now on; `cancel_pending_enqueues` throws away what is not complete.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(barrier_kernel::close).inline()],
    ..WORDS
};
