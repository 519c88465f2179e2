//! `Qr`: a unitary and a triangular factor of matrices.

use super::householder::{Householder, Number};
use super::matrices::{MATRIX_TYPES, Narrow, narrow, split, wide, with_matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Qr(input: T) -> (q: T, r: T)",
    attrs: "full_matrices: bool = false; T: type in {double, float, half, complex64, complex128}",
    doc: "For each matrix q and r with q r the matrix, q of orthonormal columns (as many as rows if `full_matrices`) and r upper triangular.",
    shape,
    gradient: Gradient::Of(super::qr_gradient::backward),
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn factors<T: Narrow>(x: &Tensor, full: bool) -> Result<[Tensor; 2]>
where
    T::Wide: Number,
{
    let (outer, rows, columns) = split(x)?;
    let inner = if full { rows } else { rows.min(columns) };
    let shape = |r: usize, c: usize| Shape::new(&[outer, &[r as i64, c as i64]].concat());
    let (shape_q, shape_r) = (shape(rows, inner)?, shape(inner, columns)?);
    let all = wide::<T>(x)?;
    let (mut q, mut r) = (Vec::new(), Vec::new());
    let matrices = outer.iter().product::<i64>() as usize;
    if matrices * rows * inner > 1 << 40 {
        return Err(invalid_argument(format!("the factors of {} do not fit into memory", x.shape())));
    }
    for i in 0..matrices {
        let found = Householder::of(all[i * rows * columns..(i + 1) * rows * columns].to_vec(), rows, columns);
        if inner > 0 {
            q.extend(found.q(inner));
        }
        if columns > 0 {
            r.extend(found.r(inner));
        }
    }
    Ok([narrow::<T>(shape_q, &q)?, narrow::<T>(shape_r, &r)?])
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let full = ctx.node.attrs.bool("full_matrices")?;
    let [q, r] = with_matrix!(x.dtype() => T, { factors::<T>(x, full)? }, else { return Err(unsupported("Qr", x.dtype())) });
    ctx.set_output(0, q);
    ctx.set_output(1, r);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let full = c.node().attrs.bool("full_matrices")?;
    if let Some([outer @ .., rows, columns]) = c.with_rank_at_least(0, 2)?.dims() {
        let less = if full { *rows } else { rows.zip(*columns).map(|(r, c)| r.min(c)) };
        c.set_output(0, PartialShape::new(&[outer, &[*rows, less]].concat()));
        c.set_output(1, PartialShape::new(&[outer, &[less, *columns]].concat()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrices::tests::{dagger, product};
    use num_complex::Complex;

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        type Z = Complex<f64>;
        let x: Vec<Z> = (0..12).map(|i| Z::new((i * i % 7) as f64 - 2.0, (i % 5) as f64)).collect();
        for (rows, columns) in [(4, 3), (3, 4), (2, 6), (1, 12)] {
            for full in [false, true] {
                let node = OpTester::new(&OP).input(tensor(&[rows, columns], &x)).attr("full_matrices", full);
                let out = node.run().unwrap();
                let inner = out[0].dims()[1] as usize;
                let (q, r) = (out[0].as_slice::<Z>().unwrap(), out[1].as_slice::<Z>().unwrap());
                let back = product(q, r, rows as usize, inner, columns as usize);
                assert!(back.iter().zip(&x).all(|(a, b)| (a - b).norm() < 1e-12));
                let one = product(&dagger(q, rows as usize, inner), q, inner, rows as usize, inner);
                assert!(one.iter().enumerate().all(|(p, z)| (z - f64::from(u8::from(p / inner == p % inner))).norm() < 1e-12));
            }
        }
    }
}
