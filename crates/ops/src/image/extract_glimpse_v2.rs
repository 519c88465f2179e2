//! `ExtractGlimpseV2`: a window of each image, whose offset is a place also if it is not normalised or not centred.

use super::glimpse::{build, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ExtractGlimpseV2(input: float, size: int32, offsets: float) -> (glimpse: float)",
    attrs: "centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: string = \"uniform\"",
    doc: "Of each image the window of `size` pixels at its offset; where the window leaves the image there is noise.",
    shape,
    kernels: &[Kernel::built(|c| build(c, true))],
    ..WORDS
};
