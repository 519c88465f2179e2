//! `BlockLSTM`: a long short-term memory cell over the steps of a sequence.

use super::block_lstm_steps::{forward, gradient, shapes};
use super::lstm::ICFO;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BlockLSTM(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T, f: T, o: T, ci: T, co: T, h: T)",
    attrs: "forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: bool = false; T: type in {half, float}",
    doc: "The results of `seq_len_max` steps of a cell whose gates are one product: for each step the gates i, f, o, the state cs, its input ci, and what comes out, co and h.",
    shape: shapes,
    gradient: Gradient::Of(|op, grads| gradient(op, grads, "BlockLSTMGrad")),
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float]).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let bias = ctx.node.attrs.float("forget_bias")?;
    forward(ctx, ICFO, bias)
}
