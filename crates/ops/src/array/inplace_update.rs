//! `InplaceUpdate`: a tensor with rows changed.

use super::inplace;
use crate::prelude::*;
use crate::state::element_update::Update;

pub const OP: OpSpec = OpSpec {
    signature: "InplaceUpdate(x: T, i: int32, v: T) -> (y: T)",
    attrs: "T: type",
    doc: "`x`, where row `i[k]` is replaced by row `k` of `v`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| inplace::compute(ctx, Update::Assign))],
    ..WORDS
};
