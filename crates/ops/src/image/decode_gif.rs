//! `DecodeGif`: the frames of a GIF file.

use super::image_file::{Door, decode};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeGif(contents: string) -> (image: uint8)",
    attrs: "",
    doc: "The frames of a GIF file, `[frames, rows, columns, 3]`; a PNG or JPEG file has one.",
    shape: |c| {
        c.with_rank(0, 0)?;
        c.set_output(0, PartialShape::new(&[None, None, None, Some(3)]));
        Ok(())
    },
    kernels: &[Kernel::cpu(|ctx| decode(ctx, Door::Gif)).heavy()],
    ..WORDS
};
