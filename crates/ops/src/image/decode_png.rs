//! `DecodePng`: an image file, with its channels.

use super::image_file::{Door, decode, image_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodePng(contents: string) -> (image: dtype)",
    attrs: "channels: int = 0; dtype: type in {uint8, uint16} = uint8",
    doc: "The pixels of a PNG, JPEG or still GIF file, `[rows, columns, channels]`; 0 channels are as many as the file has.",
    shape: image_shape,
    kernels: &[Kernel::cpu(|ctx| decode(ctx, Door::Png)).heavy()],
    ..WORDS
};
