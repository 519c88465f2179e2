//! `DrawBoundingBoxesV2`: boxes drawn on images, in given colours.

use super::boxes::{draw, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DrawBoundingBoxesV2(images: T, boxes: float, colors: float) -> (output: T)",
    attrs: "T: type in {float, half} = float",
    doc: "The images with the outlines of boxes (`[y_min, x_min, y_max, x_max]` as shares of the image) drawn on them, in the rows of `colors` in turn.",
    shape,
    kernels: &[Kernel::cpu(|ctx| draw(ctx, Some(2))).on("T", &[DType::Half, DType::Float])],
    ..WORDS
};
