//! `DrawBoundingBoxes`: boxes drawn on images.

use super::boxes::{draw, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DrawBoundingBoxes(images: T, boxes: float) -> (output: T)",
    attrs: "T: type in {float, half} = float",
    doc: "The images with the outlines of boxes (`[y_min, x_min, y_max, x_max]` as shares of the image) drawn on them.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| draw(ctx, None)).on("T", &[DType::Half, DType::Float])],
    ..WORDS
};
