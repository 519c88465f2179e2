//! `BlockLSTMV2`: a long short-term memory cell over the steps of a sequence, without a bias of its own.

use super::block_lstm_steps::{forward, gradient, shapes};
use super::lstm::IFCO;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BlockLSTMV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T, f: T, o: T, ci: T, co: T, h: T)",
    attrs: "cell_clip: float = 0.0; use_peephole: bool = false; T: type in {half, float}",
    doc: "The results of `seq_len_max` steps of a cell whose gates are one product: for each step the gates i, f, o, the state cs, its input ci, and what comes out, co and h.",
    shape: shapes,
    gradient: Gradient::Of(|op, grads| gradient(op, grads, "BlockLSTMGradV2")),
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float]).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    forward(ctx, IFCO, 0.0)
}
