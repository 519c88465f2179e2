//! `ExtractJpegShape`: how large a JPEG image is.

use super::image_file::contents;
use super::jpeg_file;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ExtractJpegShape(contents: string) -> (image_shape: output_type)",
    attrs: "output_type: type in {int32, int64} = int32",
    doc: "Rows, columns and channels of a JPEG file, without reading its pixels.",
    shape: |c| {
        c.with_rank(0, 0)?;
        c.set_output(0, PartialShape::new(&[Some(3)]));
        Ok(())
    },
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let [rows, columns, channels] = jpeg_file::size(contents(ctx)?)?;
    let y = crate::array::dims::index_tensor(
        ctx.node.output_types[0].dtype,
        Shape::new(&[3])?,
        &[rows as i64, columns as i64, channels as i64],
    )?;
    ctx.set_output(0, y);
    Ok(())
}
