//! `MatrixDiagPart`: the diagonals of matrices.

use super::diagonals::ByPlace;
use super::dims::shape_of;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixDiagPart(input: T) -> (diagonal: T)",
    attrs: "T: type",
    doc: "For matrices `[..., m, n]` their diagonals `[..., min(m, n)]`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};

/// The kernel.
///
/// Errors: `InvalidArgument` for malformed inputs.
pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let [outer @ .., m, n] = x.dims() else {
        return Err(invalid_argument(format!("input must be at least 2-dim, received shape: {}", x.shape())));
    };
    let (m, n) = (*m, *n);
    let shape = Shape::new(&[outer, &[m.min(n)]].concat())?;
    let columns = n as usize;
    let y =
        ByPlace { block: (m * n) as usize, rows: 1, columns: m.min(n) as usize, element: |_, j| Some(j * columns + j) }.run(x, shape)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The shape function.
///
/// Errors: `InvalidArgument` for shapes that cannot be right.
pub(crate) fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank_at_least(0, 2)?;
    if let Some([outer @ .., m, n]) = s.dims() {
        c.set_output(0, PartialShape::new(&[outer, &[m.zip(*n).map(|(m, n)| m.min(n))]].concat()));
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let s = op.input(0).shape();
    let square = matches!(s.dims(), Some([.., Some(m), Some(n)]) if m == n);
    let g = op.graph();
    let diagonal = g.op("MatrixDiag").input(grads.dense(0)).output();
    if square {
        return Ok(vec![Some(diagonal.into())]);
    }
    // Matrices that are not square: fill the rows or columns that are left with zeros.
    let (want, have) = (shape_of(&op.input(0)), g.op("Shape").input(&diagonal).output());
    let behind = g.op("Sub").inputs([want, have.clone()]).output();
    let before = g.op("ZerosLike").input(have).output();
    let paddings = g.op("Pack").input_list([before, behind]).attr("axis", 1i64).output();
    Ok(vec![Some(g.op("Pad").inputs([diagonal, paddings]).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagonal_is_as_long_as_the_shorter_side() {
        let y = OpTester::new(&OP).input(tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6])).run_one().unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [1, 5]);
        let y = OpTester::new(&OP).input(tensor(&[2, 2, 1], &[1i32, 2, 3, 4])).run_one().unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[2i64, 1][..], &[1, 3][..]));
        assert_eq!(OpTester::new(&OP).input(tensor(&[1], &[1f32])).run().unwrap_err().code(), Code::InvalidArgument);
        check_gradient(&[tensor(&[2, 3], &[1f64, 2.0, 3.0, 4.0, 5.0, 6.0])], |g, x| g.op("MatrixDiagPart").input(&x[0]).build());
    }
}
