//! `MatrixBandPart`: matrices with only some diagonals kept.

use super::diagonals::ByPlace;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> (band: T)",
    attrs: "T: type; Tindex: type in {int32, int64} = int64",
    doc: "`input` with zeros outside the band of `num_lower` diagonals below the main one and `num_upper` above; negative: all of them.",
    shape: shape::unchanged_with_rank_at_least::<2>,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};

/// The kernel.
///
/// Errors: `InvalidArgument` for malformed inputs.
pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let [.., m, n] = x.dims() else {
        return Err(invalid_argument(format!("input must be at least 2-dim, received shape: {}", x.shape())));
    };
    let (m, n) = (*m, *n);
    let side = |i: usize, name: &str, what: &str, most: i64| {
        let t = ctx.input(i)?;
        if !t.shape().is_scalar() {
            return Err(invalid_argument(format!("{name} must be scalar, got shape {}", t.shape())));
        }
        let v = t.to_i64()?;
        if v > most {
            return Err(invalid_argument(format!("{name} must be negative or less or equal to number of {what} ({most}) got: {v}")));
        }
        Ok(if v < 0 { i64::MAX } else { v })
    };
    let (lower, upper) = (side(1, "num_lower", "rows", m)?, side(2, "num_upper", "columns", n)?);
    let columns = n as usize;
    let inside = |i: usize, j: usize| {
        let (i, j) = (i as i64, j as i64);
        i - j <= lower && j - i <= upper
    };
    let element = |i: usize, j: usize| inside(i, j).then_some(i * columns + j);
    let y = ByPlace { block: (m * n) as usize, rows: m as usize, columns, element }.run(x, x.shape().clone())?;
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let dx = op.graph().op("MatrixBandPart").inputs([grads.dense(0), op.input(1), op.input(2)]).output();
    Ok(vec![Some(dx.into()), None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(lower: i64, upper: i64) -> Result<Tensor> {
        let x = tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
        OpTester::new(&OP).input(x).input(lower).input(upper).run_one()
    }

    #[test]
    fn diagonals_outside_the_band_are_zero() {
        assert_eq!(band(0, 0).unwrap().as_slice::<i32>().unwrap(), [1, 0, 0, 0, 5, 0]);
        assert_eq!(band(-1, 0).unwrap().as_slice::<i32>().unwrap(), [1, 0, 0, 4, 5, 0]);
        assert_eq!(band(0, 1).unwrap().as_slice::<i32>().unwrap(), [1, 2, 0, 0, 5, 6]);
        assert_eq!(band(3, 0).unwrap_err().bare_message(), "num_lower must be negative or less or equal to number of rows (2) got: 3");
        check_gradient(&[tensor(&[2, 2], &[1f64, 2.0, 3.0, 4.0])], |g, x| {
            g.op("MatrixBandPart").inputs([x[0].clone(), g.constant(0i64), g.constant(-1i64)]).build()
        });
    }
}
