//! `DecodeBmp`: a BMP file as an image.

use super::image_file::{Door, decode, image_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeBmp(contents: string) -> (image: uint8)",
    attrs: "channels: int = 0",
    doc: "The pixels of a BMP file, `[rows, columns, channels]`; 0 channels are as many as the file has.",
    shape: image_shape,
    kernels: &[Kernel::cpu(|ctx| decode(ctx, Door::Bmp)).heavy()],
    ..WORDS
};
