//! `ImageProjectiveTransformV2`: images seen from elsewhere.

use super::projection::{compute, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ImageProjectiveTransformV2(images: dtype, transforms: float, output_shape: int32) -> (transformed_images: dtype)",
    attrs: "dtype: type in {uint8, int32, int64, half, bfloat16, float, double}; interpolation: string; fill_mode: string = \"CONSTANT\"",
    doc: "The pixel (x, y) of the result is the image's at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1, for the transform [a0, a1, a2, b0, b1, b2, c0, c1].",
    shape,
    kernels: &[Kernel::cpu(|ctx| compute(ctx, None))
        .on("dtype", &[DType::UInt8, DType::Int32, DType::Int64, DType::Half, DType::BFloat16, DType::Float, DType::Double])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
