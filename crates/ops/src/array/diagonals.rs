//! Matrices seen by their diagonals: what `MatrixDiag`, `MatrixDiagPart` and `MatrixBandPart` share.

use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

/// Makes each matrix of the output element by element: `element` says which element of the input's block goes to row `i`, column `j`;
/// `None` is zero.
pub(crate) struct ByPlace<F> {
    /// Elements of the input that belong to one block of the output.
    pub(crate) block: usize,
    /// Rows of an output matrix.
    pub(crate) rows: usize,
    /// Its columns.
    pub(crate) columns: usize,
    /// The source of an element.
    pub(crate) element: F,
}

impl<F: Fn(usize, usize) -> Option<usize>> ByPlace<F> {
    /// The result, of this shape.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(crate) fn run(&self, x: &Tensor, shape: Shape) -> Result<Tensor> {
        let zero = Tensor::zeros(x.dtype(), Shape::scalar())?;
        rearrange(&[x, &zero], shape, self)
    }
}

impl<F: Fn(usize, usize) -> Option<usize>> Rearrange for ByPlace<F> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let size = self.rows * self.columns;
        if size == 0 || self.block == 0 {
            out.fill(inputs[1][0].clone());
            return Ok(());
        }
        for (source, matrix) in inputs[0].chunks_exact(self.block).zip(out.chunks_exact_mut(size)) {
            for (i, row) in matrix.chunks_exact_mut(self.columns).enumerate() {
                for (j, place) in row.iter_mut().enumerate() {
                    *place = (self.element)(i, j).map_or(&inputs[1][0], |k| &source[k]).clone();
                }
            }
        }
        Ok(())
    }
}
