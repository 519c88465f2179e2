//! `TFRecordDatasetV2`: the records of TFRecord files, from given places on.

use super::dataset::emit;
use super::files::{FileDataset, Format, compression, filenames};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TFRecordDatasetV2(filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64) -> (handle: variant)",
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
    let offsets = ctx.input(3)?.to_i64s()?.to_vec();
    if !offsets.is_empty() && offsets.len() != files.len() {
        return Err(invalid_argument(format!("there are {} byte_offsets for {} files", offsets.len(), files.len())));
    }
    emit(ctx, &[], FileDataset::new(files, Format::Records { compression, offsets }))
}
