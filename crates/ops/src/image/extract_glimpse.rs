//! `ExtractGlimpse`: a window of each image.

use super::glimpse::{build, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ExtractGlimpse(input: float, size: int32, offsets: float) -> (glimpse: float)",
    attrs: "centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: string = \"uniform\"",
    doc: "Of each image the window of `size` pixels around its offset; where the window leaves the image there is noise.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| build(c, false))],
    ..WORDS
};
