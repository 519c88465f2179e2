//! `MatrixDiag`: vectors as the diagonals of matrices.

use super::diagonals::ByPlace;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixDiag(diagonal: T) -> (output: T)",
    attrs: "T: type",
    doc: "For `diagonal` of shape `[..., k]` matrices `[..., k, k]` that are zero but for their diagonals.",
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
    let Some(&k) = x.dims().last() else {
        return Err(invalid_argument(format!("diagonal must be at least 1-dim, received shape: {}", x.shape())));
    };
    let shape = Shape::new(&[x.dims(), &[k]].concat())?;
    let n = k as usize;
    let y = ByPlace { block: n, rows: n, columns: n, element: |i, j| (i == j).then_some(i) }.run(x, shape)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The shape function.
///
/// Errors: `InvalidArgument` for shapes that cannot be right.
pub(crate) fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank_at_least(0, 1)?;
    if let Some(dims) = s.dims() {
        c.set_output(0, PartialShape::new(&[dims, &dims[dims.len() - 1..]].concat()));
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(op.graph().op("MatrixDiagPart").input(grads.dense(0)).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_diagonal_is_not_zero() {
        let y = OpTester::new(&OP).input(tensor(&[2, 2], &[1i32, 2, 3, 4])).run_one().unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[2i64, 2, 2][..], &[1, 0, 0, 2, 3, 0, 0, 4][..]));
        assert_eq!(OpTester::new(&OP).input(tensor::<f32>(&[0], &[])).run_one().unwrap().dims(), [0, 0]);
        assert_eq!(OpTester::new(&OP).input(1f32).run().unwrap_err().code(), Code::InvalidArgument);
        check_gradient(&[tensor(&[2], &[1f64, 2.0])], |g, x| g.op("MatrixDiag").input(&x[0]).build());
    }
}
