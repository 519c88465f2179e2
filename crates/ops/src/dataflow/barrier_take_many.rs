//! `BarrierTakeMany`: takes complete tuples out of a barrier.

use super::barrier_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BarrierTakeMany(handle: Ref(string), num_elements: int32) -> (indices: int64, keys: string, values: component_types)",
    attrs: "component_types: list(type) >= 1; allow_small_batch: bool = false; wait_for_incomplete: bool = false; timeout_ms: int = -1",
    doc: "Numbers, keys and components of the `num_elements` complete tuples whose keys came first; waits until there are that many.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(barrier_kernel::take)],
    ..WORDS
};
