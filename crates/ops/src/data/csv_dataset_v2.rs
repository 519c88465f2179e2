//! `CSVDatasetV2`: the records of files of comma-separated values.

use super::csv_records::compute;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "CSVDatasetV2(filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types, exclude_cols: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1 in {float, double, int32, int64, string}; output_shapes: list(shape) >= 1",
    flags: "stateful",
    doc: "The records of files, a component per wanted column, converted to the type of its default, which stands for empty fields.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| compute(ctx, true)).inline()],
    ..WORDS
};
