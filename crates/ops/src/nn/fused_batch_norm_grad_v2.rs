//! `FusedBatchNormGradV2`: the gradient of `FusedBatchNormV2`.

use super::batch_norm::{normalise_grad, normalise_grad_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FusedBatchNormGradV2(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U)",
    attrs: "T: type in {half, bfloat16, float}; U: type in {float}; epsilon: float = 9.999999747378752e-05; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; is_training: bool = true",
    doc: "The gradients of x, scale and offset from that of y; reserve_space_1 and 2 are mean and variance.",
    shape: normalise_grad_shape,
    kernels: &[Kernel::cpu(normalise_grad).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
