//! `InplaceAdd`: a tensor with rows changed.

use super::inplace;
use crate::prelude::*;
use crate::state::element_update::Update;

pub const OP: OpSpec = OpSpec {
    signature: "InplaceAdd(x: T, i: int32, v: T) -> (y: T)",
    attrs: "T: type",
    doc: "`x`, where row `i[k]` is increased by row `k` of `v`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| inplace::compute(ctx, Update::Add)).on("T", NUMERIC)],
    ..WORDS
};
