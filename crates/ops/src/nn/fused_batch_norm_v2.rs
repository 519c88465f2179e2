//! `FusedBatchNormV2`: batch normalisation of images.

use super::batch_norm::{normalise, normalise_gradient, normalise_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FusedBatchNormV2(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U)",
    attrs: "T: type in {half, bfloat16, float}; U: type in {float}; epsilon: float = 9.999999747378752e-05; exponential_avg_factor: float = 1.0; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; is_training: bool = true",
    doc: "y = (x - mean) / sqrt(variance + epsilon) scale + offset for each channel; in training mean and variance are those of x, over all dimensions but that of the channels.",
    shape: normalise_shape,
    gradient: Gradient::Of(|op, grads| normalise_gradient(op, grads, "FusedBatchNormGradV2")),
    kernels: &[Kernel::cpu(normalise).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
