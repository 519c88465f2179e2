//! `DecodeJpeg`: an image file, with its channels, perhaps smaller.

use super::image_file::{Door, decode, image_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeJpeg(contents: string) -> (image: uint8)",
    attrs: "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false; acceptable_fraction: float = 1.0; dct_method: string = \"\"",
    doc: "The pixels of a JPEG, PNG or still GIF file, `[rows, columns, channels]`; 0 channels are as many as the file has. A JPEG \
          image is made smaller by `ratio`.",
    shape: image_shape,
    kernels: &[Kernel::cpu(|ctx| decode(ctx, Door::Jpeg)).heavy()],
    ..WORDS
};
