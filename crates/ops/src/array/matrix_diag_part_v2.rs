//! `MatrixDiagPartV2`: diagonals of matrices.

use super::bands::Band;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixDiagPartV2(input: T, k: int32, padding_value: T) -> (diagonal: T)",
    attrs: "T: type",
    doc: "The diagonals `k` of each matrix, one in each row, the uppermost first, filled up with `padding_value`.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};

struct Taking<F> {
    block: usize,
    size: usize,
    width: usize,
    element: F,
}

impl<F: Fn(usize, usize) -> Option<usize>> Rearrange for Taking<F> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        for (m, rows) in out.chunks_exact_mut(self.block.max(1)).enumerate() {
            for (p, place) in rows.iter_mut().enumerate() {
                let from = (self.element)(p / self.width, p % self.width);
                *place = from.and_then(|k| inputs[0].get(m * self.size + k)).unwrap_or(&inputs[1][0]).clone();
            }
        }
        Ok(())
    }
}

/// The kernel of `MatrixDiagPartV2` and `MatrixDiagPartV3`.
pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, fill) = (ctx.input(0)?, ctx.input(2)?);
    let [outer @ .., rows, columns] = x.dims() else {
        return Err(invalid_argument(format!("input must be at least 2-dim, received shape: {}", x.shape())));
    };
    let (rows, columns) = (*rows, *columns);
    let band = Band::of(ctx, 1)?;
    if fill.num_elements() != 1 {
        return Err(invalid_argument(format!("padding_value must be a scalar, received shape: {}", fill.shape())));
    }
    let fill = fill.clone().reshaped(Shape::scalar())?;
    band.check(rows, columns)?;
    let longest = band.longest(rows, columns);
    let several: &[i64] = if band.lower == band.upper { &[] } else { &[band.upper - band.lower + 1] };
    let shape = Shape::new(&[outer, several, &[longest]].concat())?;
    let wide = columns as usize;
    let element = |r: usize, c: usize| band.element(r as i64, c as i64, (rows, columns), longest).map(|(i, j)| i * wide + j);
    let taking = Taking { block: band.count() * longest as usize, size: (rows * columns) as usize, width: longest as usize, element };
    let y = rearrange(&[x, &fill], shape, &taking)?;
    ctx.set_output(0, y);
    Ok(())
}
