//! `EncodeJpegVariableQuality`: an image as a JPEG file of a quality that is an input.

use super::encode_jpeg::{file, quality};
use super::jpeg_writer::Settings;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "EncodeJpegVariableQuality(images: uint8, quality: int32) -> (contents: string)",
    attrs: "",
    doc: "As `EncodeJpeg`, with `quality` from 0 to 100.",
    shape: |c| {
        c.with_rank(0, 3)?;
        c.with_rank(1, 0)?;
        c.set_output(0, PartialShape::scalar());
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let quality = quality(i64::from(ctx.scalar::<i32>(1, "quality")?))?;
    let x = ctx.input(0)?;
    let settings = Settings { quality, half_colors: true, density_unit: 1, density: [300, 300], xmp: b"" };
    let bytes = file(x.as_slice()?, x.dims(), &settings)?;
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}
