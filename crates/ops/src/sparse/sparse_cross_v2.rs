//! `SparseCrossV2`: all combinations of features, joined.

use super::crossing::{Crossed, cross, put_text, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseCrossV2(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types, sep: string) -> (output_indices: int64, output_values: string, output_shape: int64)",
    attrs: "N: int >= 0; sparse_types: list(type) >= 0 in {int64, string}; dense_types: list(type) >= 0 in {int64, string}",
    doc: "For each row the combinations of one feature of each column, joined by `sep`, as a sparse matrix.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let separator = ctx.input(ctx.num_inputs() - 1)?;
    let separator = match (separator.rank(), separator.as_strings()?) {
        (0, [s]) => s.clone(),
        _ => return Err(invalid_argument(format!("Input separator should be a scalar. Received: {}", separator.shape()))),
    };
    cross(ctx, Crossed::Texts(vec![]), |features, out| put_text(features, &separator, out))
}
