//! `BarrierIncompleteSize`: how many tuples of a barrier are not complete.

use super::barrier_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BarrierIncompleteSize(handle: Ref(string)) -> (size: int32)",
    doc: "The number of incomplete tuples now.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| barrier_kernel::count(ctx, |(_, incomplete)| incomplete)).inline()],
    ..WORDS
};
