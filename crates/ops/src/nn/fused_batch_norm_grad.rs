//! `FusedBatchNormGrad`: the gradient of `FusedBatchNorm`.

use super::batch_norm::{normalise_grad, normalise_grad_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FusedBatchNormGrad(y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T) -> (x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T)",
    attrs: "T: type in {float}; epsilon: float = 9.999999747378752e-05; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; is_training: bool = true",
    doc: "The gradients of x, scale and offset from that of y; reserve_space_1 and 2 are mean and variance.",
    shape: normalise_grad_shape,
    kernels: &[Kernel::cpu(normalise_grad).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
