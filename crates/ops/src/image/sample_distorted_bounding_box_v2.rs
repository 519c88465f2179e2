//! `SampleDistortedBoundingBoxV2`: a random part of an image that shows enough of an object.

use super::distortion::{kept, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SampleDistortedBoundingBoxV2(image_size: T, bounding_boxes: float, min_object_covered: float) -> (begin: T, size: T, bboxes: float)",
    attrs: "T: type in {uint8, int8, int16, int32, int64}; seed: int = 0; seed2: int = 0; aspect_ratio_range: list(float) = [0.75, 1.3300000429153442]; area_range: list(float) = [0.05000000074505806, 1.0]; max_attempts: int = 100; use_image_if_no_bounding_boxes: bool = false",
    flags: "stateful",
    doc: "Where a random part of the image begins, how large it is, and its corners as shares of the image; it shows at least min_object_covered of one of the boxes and keeps within the ranges of shapes and areas.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(kept).on("T", &[DType::UInt8, DType::Int8, DType::Int16, DType::Int32, DType::Int64])],
    ..WORDS
};
