//! `Barrier`: makes a barrier.

use super::barrier_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Barrier() -> (handle: Ref(string))",
    attrs: "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a barrier, where tuples of tensors become complete component by component.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(barrier_kernel::make).inline()],
    ..WORDS
};
