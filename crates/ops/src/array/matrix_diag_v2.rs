//! `MatrixDiagV2`: diagonals as matrices.

use super::bands::Band;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixDiagV2(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> (output: T)",
    attrs: "T: type",
    doc: "Matrices of the size asked for that hold the diagonals `k` of `diagonal`, and `padding_value` elsewhere.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};

struct Filling<F> {
    size: usize,
    block: usize,
    columns: usize,
    element: F,
}

impl<F: Fn(usize, usize) -> Option<usize>> Rearrange for Filling<F> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        for (m, matrix) in out.chunks_exact_mut(self.size.max(1)).enumerate() {
            for (p, place) in matrix.iter_mut().enumerate() {
                let from = (self.element)(p / self.columns, p % self.columns);
                *place = from.and_then(|k| inputs[0].get(m * self.block + k)).unwrap_or(&inputs[1][0]).clone();
            }
        }
        Ok(())
    }
}

/// The number that a scalar argument gives.
fn number(t: &Tensor, name: &str) -> Result<i64> {
    if !t.shape().is_scalar() {
        return Err(invalid_argument(format!("{name} must be a scalar, received shape: {}", t.shape())));
    }
    t.to_i64()
}

/// The kernel of `MatrixDiagV2` and `MatrixDiagV3`.
pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, fill) = (ctx.input(0)?, ctx.input(4)?);
    if x.rank() == 0 {
        return Err(invalid_argument(format!("diagonal must be at least 1-dim, received shape: {}", x.shape())));
    }
    let band = Band::of(ctx, 1)?;
    let (rows, columns) = (number(ctx.input(2)?, "num_rows")?, number(ctx.input(3)?, "num_cols")?);
    if !fill.shape().is_scalar() {
        return Err(invalid_argument(format!("padding_value must be a scalar, received shape: {}", fill.shape())));
    }
    let several = band.lower != band.upper;
    if several && (x.rank() < 2 || x.dims()[x.rank() - 2] != band.upper - band.lower + 1) {
        return Err(invalid_argument(format!(
            "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range: {}",
            x.shape()
        )));
    }
    let split = x.rank() - 1 - usize::from(several);
    let longest = x.dims()[x.rank() - 1];
    let too_large = || invalid_argument("the diagonals lie too far out");
    let least_rows = longest.checked_sub(band.upper.min(0)).ok_or_else(too_large)?;
    let least_columns = longest.checked_add(band.lower.max(0)).ok_or_else(too_large)?;
    let (rows, columns) = match (rows, columns) {
        (-1, -1) => (least_rows.max(least_columns), least_rows.max(least_columns)),
        (-1, c) => (least_rows, c),
        (r, -1) => (r, least_columns),
        (r, c) => (r, c),
    };
    if rows < least_rows || columns < least_columns {
        return Err(invalid_argument(format!("The matrix of {rows} rows and {columns} columns is too small for its diagonals")));
    }
    if rows != least_rows && columns != least_columns {
        return Err(invalid_argument("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."));
    }
    band.check(rows, columns)?;
    let shape = Shape::new(&[&x.dims()[..split], &[rows, columns]].concat())?;
    let width = longest as usize;
    let element = |i: usize, j: usize| band.place(i as i64, j as i64, (rows, columns), longest).map(|(r, c)| r * width + c);
    let filling = Filling { size: (rows * columns) as usize, block: band.count() * width, columns: columns as usize, element };
    let y = rearrange(&[x, fill], shape, &filling)?;
    ctx.set_output(0, y);
    Ok(())
}
