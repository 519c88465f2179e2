//! `Diag`: a tensor as the diagonal of one of twice the rank.

use super::diagonals::ByPlace;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Diag(diagonal: T) -> (output: T)",
    attrs: "T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}",
    doc: "A tensor of shape `[dims..., dims...]`, zero but where both halves of the coordinates are equal; there it is `diagonal`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    if x.rank() == 0 {
        return Err(invalid_argument("Input must be at least rank 1, got 0"));
    }
    let shape = Shape::new(&[x.dims(), x.dims()].concat())?;
    let n = x.num_elements();
    let y = ByPlace { block: n, rows: n, columns: n, element: |i, j| (i == j).then_some(i) }.run(x, shape)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some(dims) = c.with_rank_at_least(0, 1)?.dims() {
        c.set_output(0, PartialShape::new(&[dims, dims].concat()));
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(op.graph().op("DiagPart").input(grads.dense(0)).output().into())])
}
