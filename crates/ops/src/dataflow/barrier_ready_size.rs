//! `BarrierReadySize`: how many tuples of a barrier are complete.

use super::barrier_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BarrierReadySize(handle: Ref(string)) -> (size: int32)",
    doc: "The number of complete tuples now.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| barrier_kernel::count(ctx, |(ready, _)| ready)).inline()],
    ..WORDS
};
