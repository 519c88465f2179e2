//! `TextLineDataset`: the lines of text files.

use super::dataset::emit;
use super::files::{FileDataset, Format, compression, filenames};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TextLineDataset(filenames: string, compression_type: string, buffer_size: int64) -> (handle: variant)",
    attrs: "metadata: string = \"\"",
    flags: "stateful",
    doc: "The lines of the files without their ends, one file after the other.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let files = filenames(ctx, 0)?;
    let compression = compression(ctx, 1)?;
    emit(ctx, &[], FileDataset::new(files, Format::Lines { compression }))
}
