//! `DiagPart`: the diagonal of a tensor of even rank.

use super::diagonals::ByPlace;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DiagPart(input: T) -> (diagonal: T)",
    attrs: "T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}",
    doc: "The elements at which both halves of the coordinates are equal.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    if x.rank() == 0 || x.rank() % 2 != 0 {
        return Err(invalid_argument(format!("The rank of the tensor should be even and positive, got shape {}", x.shape())));
    }
    let (front, back) = x.dims().split_at(x.rank() / 2);
    if front != back {
        return Err(invalid_argument(format!("Invalid shape {}: the first half of the dimensions must equal the second", x.shape())));
    }
    let shape = Shape::new(front)?;
    let n = shape.num_elements();
    let y = ByPlace { block: n * n, rows: 1, columns: n, element: |_, j| Some(j * n + j) }.run(x, shape)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(0);
    let Some(dims) = s.dims() else { return Ok(()) };
    if dims.is_empty() || dims.len() % 2 != 0 {
        return Err(invalid_argument(format!("Input must have even and non-zero rank, input rank is {}", dims.len())));
    }
    let half = PartialShape::new(&dims[..dims.len() / 2]).merge(&PartialShape::new(&dims[dims.len() / 2..]))?;
    c.set_output(0, half);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(op.graph().op("Diag").input(grads.dense(0)).output().into())])
}
