//! `FusedBatchNorm`: batch normalisation of images.

use super::batch_norm::{normalise, normalise_gradient, normalise_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> (y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, reserve_space_2: T)",
    attrs: "T: type in {float}; epsilon: float = 9.999999747378752e-05; exponential_avg_factor: float = 1.0; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; is_training: bool = true",
    doc: "y = (x - mean) / sqrt(variance + epsilon) scale + offset for each channel; in training mean and variance are those of x, over all dimensions but that of the channels.",
    shape: normalise_shape,
    gradient: Gradient::Of(|op, grads| normalise_gradient(op, grads, "FusedBatchNormGrad")),
    kernels: &[Kernel::cpu(normalise).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
