//! `BarrierInsertMany`: sets a component of tuples in a barrier.

use super::barrier_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BarrierInsertMany(handle: Ref(string), keys: string, values: T) -> ()",
    attrs: "T: type; component_index: int",
    doc: "Sets component `component_index` of the tuples under `keys` to the rows of `values`.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(barrier_kernel::insert)],
    ..WORDS
};
