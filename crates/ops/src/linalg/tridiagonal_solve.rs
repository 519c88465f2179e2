//! `TridiagonalSolve`: the solution of equations whose matrix has three diagonals.

use super::matrices::{Field, Narrow, narrow, split, wide};
use super::tridiagonal_mat_mul::{TRIDIAGONAL_TYPES, with_tridiagonal};
use crate::prelude::*;
use num_complex::ComplexFloat;

pub const OP: OpSpec = OpSpec {
    signature: "TridiagonalSolve(diagonals: T, rhs: T) -> (output: T)",
    attrs: "partial_pivoting: bool = true; perturb_singular: bool = false; T: type in {double, float, complex64, complex128}",
    doc: "The x of matrix x = rhs for matrices given by superdiagonal, diagonal and subdiagonal, all of the matrix's length.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", TRIDIAGONAL_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

/// How to go on where elimination meets a zero.
#[derive(Clone, Copy)]
struct Pivots {
    partial: bool,
    perturb: bool,
}

/// What is on the diagonal and beside it, twice, after elimination with changes of rows.
struct Upper<F> {
    rows: Vec<[F; 3]>,
    x: Vec<F>,
}

/// Eliminates the subdiagonal, the larger of two rows first.
fn eliminate<F: Field>(d: &[F], b: &[F], n: usize, k: usize, pivots: Pivots) -> Option<Upper<F>> {
    let zero = F::real(0.0);
    let (above, main, below) = (&d[..n], &d[n..2 * n], &d[2 * n..]);
    let largest = d.iter().map(|v| ComplexFloat::abs(*v)).fold(0.0, f64::max);
    let mut x = b.to_vec();
    let mut rows = Vec::with_capacity(n);
    let mut now = [main[0], if n > 1 { above[0] } else { zero }, zero];
    for i in 0..n {
        let mut next = (i + 1 < n).then(|| [below[i + 1], main[i + 1], if i + 2 < n { above[i + 1] } else { zero }]);
        if let Some(next) = &mut next
            && pivots.partial
            && ComplexFloat::abs(next[0]) > ComplexFloat::abs(now[0])
        {
            std::mem::swap(&mut now, next);
            (0..k).for_each(|c| x.swap(i * k + c, (i + 1) * k + c));
        }
        if ComplexFloat::abs(now[0]) == 0.0 {
            if !pivots.perturb {
                return None;
            }
            now[0] = F::real(f64::EPSILON * largest.max(f64::MIN_POSITIVE));
        }
        if let Some(next) = next {
            let factor = next[0] / now[0];
            for c in 0..k {
                let lead = x[i * k + c];
                x[(i + 1) * k + c] -= factor * lead;
            }
            rows.push(now);
            now = [next[1] - factor * now[1], next[2] - factor * now[2], zero];
        } else {
            rows.push(now);
        }
    }
    Some(Upper { rows, x })
}

fn solve_one<F: Field>(d: &[F], b: &[F], n: usize, k: usize, pivots: Pivots) -> Option<Vec<F>> {
    let Upper { rows, mut x } = eliminate(d, b, n, k, pivots)?;
    for i in (0..n).rev() {
        for c in 0..k {
            let mut sum = x[i * k + c];
            for (step, factor) in [(1, rows[i][1]), (2, rows[i][2])] {
                if i + step < n {
                    sum -= factor * x[(i + step) * k + c];
                }
            }
            x[i * k + c] = sum / rows[i][0];
        }
    }
    Some(x)
}

fn solve<T: Narrow>(diagonals: &Tensor, rhs: &Tensor, pivots: Pivots) -> Result<Tensor> {
    let ((outer, three, n), (outer_rhs, rows, k)) = (split(diagonals)?, split(rhs)?);
    if three != 3 {
        return Err(invalid_argument(format!("Expected diagonals to have a shape [..., 3, M], got {}", diagonals.shape())));
    }
    if outer != outer_rhs || rows != n {
        return Err(invalid_argument(format!("diagonals and rhs are incompatible: {} and {}", diagonals.shape(), rhs.shape())));
    }
    let (d, b) = (wide::<T>(diagonals)?, wide::<T>(rhs)?);
    let mut out = Vec::with_capacity(b.len());
    if n > 0 {
        for i in 0..outer.iter().product::<i64>() as usize {
            let b = &b[i * n * k..(i + 1) * n * k];
            match solve_one(&d[i * 3 * n..(i + 1) * 3 * n], b, n, k, pivots) {
                Some(x) => out.extend(x),
                // As in TF: without a solution there are no numbers.
                None => out.resize(out.len() + n * k, T::Wide::real(f64::NAN)),
            }
        }
    }
    narrow::<T>(rhs.shape().clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (diagonals, rhs) = (ctx.input(0)?, ctx.input(1)?);
    let attrs = &ctx.node.attrs;
    let pivots = Pivots { partial: attrs.bool("partial_pivoting")?, perturb: attrs.bool("perturb_singular")? };
    if pivots.perturb && !pivots.partial {
        return Err(invalid_argument("Setting perturb_singular requires pivoting."));
    }
    let y = with_tridiagonal!(rhs.dtype() => T, { solve::<T>(diagonals, rhs, pivots)? }, else { return Err(unsupported("TridiagonalSolve", rhs.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank_at_least(0, 2)?;
    let rhs = c.with_rank_at_least(1, 2)?;
    c.set_output(0, rhs);
    Ok(())
}
