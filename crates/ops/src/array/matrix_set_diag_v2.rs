//! `MatrixSetDiagV2`: matrices with other diagonals.

use super::bands::Band;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixSetDiagV2(input: T, diagonal: T, k: int32) -> (output: T)",
    attrs: "T: type",
    doc: "`input` with its diagonals `k` replaced by `diagonal`.",
    shape: shape::unchanged_with_rank_at_least::<2>,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};

struct Setting<F> {
    size: usize,
    block: usize,
    columns: usize,
    element: F,
}

impl<F: Fn(usize, usize) -> Option<usize>> Rearrange for Setting<F> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        for (m, matrix) in out.chunks_exact_mut(self.size.max(1)).enumerate() {
            for (p, place) in matrix.iter_mut().enumerate() {
                let from = (self.element)(p / self.columns, p % self.columns);
                *place = from.and_then(|k| inputs[1].get(m * self.block + k)).unwrap_or(&inputs[0][m * self.size + p]).clone();
            }
        }
        Ok(())
    }
}

/// Sets output 0 to input 0 with the diagonals of this band replaced by those of input 1.
///
/// Errors: `InvalidArgument` for shapes that do not fit.
pub(crate) fn set(ctx: &mut OpKernelContext, band: Band) -> Result<()> {
    let (x, diagonal) = (ctx.input(0)?, ctx.input(1)?);
    let [outer @ .., rows, columns] = x.dims() else {
        return Err(invalid_argument(format!("input must be at least 2-dim, received shape: {}", x.shape())));
    };
    let (rows, columns) = (*rows, *columns);
    band.check(rows, columns)?;
    let longest = band.longest(rows, columns);
    let several: &[i64] = if band.lower == band.upper { &[] } else { &[band.upper - band.lower + 1] };
    let expected = [outer, several, &[longest]].concat();
    if diagonal.dims() != expected {
        return Err(invalid_argument(format!(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to the longests diagonal in range. Input shape: {}, diagonal shape: {}, expected diagonal shape: {}",
            x.shape(),
            diagonal.shape(),
            Shape::new(&expected)?
        )));
    }
    let width = longest as usize;
    let element = |i: usize, j: usize| band.place(i as i64, j as i64, (rows, columns), longest).map(|(r, c)| r * width + c);
    let setting = Setting { size: (rows * columns) as usize, block: band.count() * width, columns: columns as usize, element };
    let y = rearrange(&[x, diagonal], x.shape().clone(), &setting)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The kernel of `MatrixSetDiagV2` and `MatrixSetDiagV3`.
pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let band = Band::of(ctx, 2)?;
    set(ctx, band)
}
