//! `DecodeImage`: an image file of any format.

use super::image_file::{Door, decode};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeImage(contents: string) -> (image: dtype)",
    attrs: "channels: int = 0; dtype: type in {uint8, uint16, float} = uint8; expand_animations: bool = true",
    doc: "The pixels of a PNG, JPEG, BMP or GIF file, `[rows, columns, channels]`, or `[frames, rows, columns, channels]` of a GIF file unless `expand_animations` is false. Floats lie in [0, 1].",
    shape: |c| {
        c.with_rank(0, 0)?;
        let attrs = &c.node().attrs;
        let channels = Some(attrs.int("channels")?).filter(|n| *n > 0);
        // Whether it is an animation is known only from the file.
        let shape = if attrs.bool("expand_animations")? { PartialShape::unknown() } else { PartialShape::new(&[None, None, channels]) };
        c.set_output(0, shape);
        Ok(())
    },
    kernels: &[Kernel::cpu(|ctx| decode(ctx, Door::Any)).heavy()],
    ..WORDS
};
