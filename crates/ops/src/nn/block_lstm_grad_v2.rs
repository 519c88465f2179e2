//! `BlockLSTMGradV2`: the gradient of `BlockLSTMV2`.

use super::block_lstm_steps::{backward, gradient_shapes};
use super::lstm::IFCO;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BlockLSTMGradV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> (x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T)",
    attrs: "use_peephole: bool; T: type in {half, float}",
    doc: "The gradients of what goes into the steps: x, the first state and output, and the weights.",
    shape: gradient_shapes,
    kernels: &[Kernel::cpu(|ctx| backward(ctx, IFCO)).on("T", &[DType::Half, DType::Float]).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
