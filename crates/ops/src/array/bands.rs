//! Bands of diagonals of matrices, and how a tensor of diagonals lies: what `MatrixDiagV3`, `MatrixDiagPartV3`, `MatrixSetDiagV3` share.

use crate::prelude::*;

/// Which diagonals, and where a shorter one lies in its row.
#[derive(Clone, Copy)]
pub(crate) struct Band {
    /// The lowest; negative below the main one.
    pub(crate) lower: i64,
    /// The uppermost.
    pub(crate) upper: i64,
    /// Whether those above the main one lie at the left of their rows.
    upper_left: bool,
    /// Whether those below do.
    lower_left: bool,
}

impl Band {
    /// The main diagonal alone.
    pub(crate) const MAIN: Band = Band { lower: 0, upper: 0, upper_left: true, lower_left: true };

    /// The band that input `k` of a node names.
    ///
    /// Errors: `InvalidArgument` if it is no scalar or vector of one or two numbers in order.
    pub(crate) fn of(ctx: &OpKernelContext, k: usize) -> Result<Band> {
        let t = ctx.input(k)?;
        let (lower, upper) = match (t.rank(), t.to_i64s()?.as_slice()) {
            (0 | 1, [k]) => (*k, *k),
            (1, [lower, upper]) => (*lower, *upper),
            _ => {
                return Err(invalid_argument(format!(
                    "diag_index must be a scalar or vector of one or two elements, received shape: {}",
                    t.shape()
                )));
            }
        };
        if lower > upper {
            return Err(invalid_argument(format!("lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}")));
        }
        let align = if ctx.node.attrs.contains("align") { ctx.node.attrs.str("align")? } else { "LEFT_LEFT" };
        Ok(Band { lower, upper, upper_left: align.starts_with("LEFT"), lower_left: align.ends_with("LEFT") })
    }

    /// How many diagonals there are.
    pub(crate) fn count(&self) -> usize {
        (self.upper - self.lower + 1) as usize
    }

    /// Checks that the diagonals lie in matrices of this size.
    ///
    /// Errors: `InvalidArgument` if one does not.
    pub(crate) fn check(&self, rows: i64, columns: i64) -> Result<()> {
        for (name, d) in [("lower", self.lower), ("upper", self.upper)] {
            if !(-rows < d && d < columns || d == 0) {
                return Err(invalid_argument(format!(
                    "{name}_diag_index is out of bound: {d} It must be between {} and {}",
                    -rows, columns
                )));
            }
        }
        Ok(())
    }

    /// The length of the longest diagonal of matrices of this size.
    pub(crate) fn longest(&self, rows: i64, columns: i64) -> i64 {
        (rows + self.upper.min(0)).min(columns - self.lower.max(0)).max(0)
    }

    /// Where the element at row `i` and column `j` of a matrix lies among the diagonals: row and column there.
    pub(crate) fn place(&self, i: i64, j: i64, (rows, columns): (i64, i64), longest: i64) -> Option<(usize, usize)> {
        let d = j - i;
        if d < self.lower || d > self.upper {
            return None;
        }
        let at = i.min(j);
        Some(((self.upper - d) as usize, (at + self.offset(d, rows, columns, longest)) as usize))
    }

    /// Where the element in row `r` and column `c` of the diagonals lies in the matrix, if it lies there at all.
    pub(crate) fn element(&self, r: i64, c: i64, (rows, columns): (i64, i64), longest: i64) -> Option<(usize, usize)> {
        let d = self.upper - r;
        let at = c - self.offset(d, rows, columns, longest);
        let length = (rows + d.min(0)).min(columns - d.max(0));
        (0..length).contains(&at).then_some(((at - d.min(0)) as usize, (at + d.max(0)) as usize))
    }

    fn offset(&self, d: i64, rows: i64, columns: i64, longest: i64) -> i64 {
        if d >= 0 && self.upper_left || d <= 0 && self.lower_left {
            return 0;
        }
        longest - (rows + d.min(0)).min(columns - d.max(0))
    }
}
