//! `TFRecordDataset`: the records of TFRecord files.

use super::dataset::emit;
use super::files::{FileDataset, Format, compression, filenames};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TFRecordDataset(filenames: string, compression_type: string, buffer_size: int64) -> (handle: variant)",
    attrs: "metadata: string = \"\"",
    flags: "stateful",
    doc: "The records of the files, one file after the other.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let files = filenames(ctx, 0)?;
    let compression = compression(ctx, 1)?;
    let offsets = vec![];
    emit(ctx, &[], FileDataset::new(files, Format::Records { compression, offsets }))
}
