//! `DecodeAndCropJpeg`: a part of a JPEG file.

use super::image_file::{Door, decode, image_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeAndCropJpeg(contents: string, crop_window: int32) -> (image: uint8)",
    attrs: "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false; acceptable_fraction: float = 1.0; dct_method: string = \"\"",
    doc: "The pixels of a JPEG file within the window `[y, x, rows, columns]`.",
    shape: image_shape,
    kernels: &[Kernel::cpu(|ctx| decode(ctx, Door::CroppedJpeg)).heavy()],
    ..WORDS
};
