//! `FixedLengthRecordDatasetV2`: records of one length.

use super::dataset::emit;
use super::files::{FileDataset, Format, compression, filenames};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FixedLengthRecordDatasetV2(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64, compression_type: string) -> (handle: variant)",
    attrs: "metadata: string = \"\"",
    flags: "stateful",
    doc: "The pieces of record_bytes bytes of the files between header and footer, one file after the other.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let files = filenames(ctx, 0)?;
    let compression = compression(ctx, 5)?;
    let length = |i: usize, name: &str| -> Result<usize> {
        let length = ctx.scalar::<i64>(i, name)?;
        usize::try_from(length).map_err(|_| invalid_argument(format!("{name} must be >= 0, got {length}")))
    };
    let (header, record, footer) = (length(1, "header_bytes")?, length(2, "record_bytes")?, length(3, "footer_bytes")?);
    if record == 0 {
        return Err(invalid_argument("record_bytes must be > 0"));
    }
    emit(ctx, &[], FileDataset::new(files, Format::Fixed { compression, header, record, footer }))
}
