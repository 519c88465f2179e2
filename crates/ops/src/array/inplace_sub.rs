//! `InplaceSub`: a tensor with rows changed.

use super::inplace;
use crate::prelude::*;
use crate::state::element_update::Update;

pub const OP: OpSpec = OpSpec {
    signature: "InplaceSub(x: T, i: int32, v: T) -> (y: T)",
    attrs: "T: type",
    doc: "`x`, where row `i[k]` is decreased by row `k` of `v`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| inplace::compute(ctx, Update::Sub)).on("T", NUMERIC)],
    ..WORDS
};
