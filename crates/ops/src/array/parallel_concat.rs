//! `ParallelConcat`: tensors of one row each below each other.

use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParallelConcat(values: N * T) -> (output: T)",
    attrs: "N: int >= 1; T: type; shape: shape",
    doc: "`values`, each with a first dimension of 1, joined along it.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Rows;

impl Rearrange for Rows {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        for (row, place) in inputs.iter().zip(out.chunks_exact_mut(inputs[0].len().max(1))) {
            place.clone_from_slice(row);
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let n = ctx.num_inputs();
    let rows: Vec<&Tensor> = (0..n).map(|i| ctx.input(i)).collect::<Result<_>>()?;
    let Some((&1, row)) = rows[0].dims().split_first() else {
        return Err(invalid_argument(format!("All input shapes must have a first dimension of 1, got {}", rows[0].shape())));
    };
    if let Some(other) = rows.iter().find(|r| r.dims() != rows[0].dims()) {
        return Err(invalid_argument(format!("Input shapes must match: {} and {}", rows[0].shape(), other.shape())));
    }
    let y = rearrange(&rows, Shape::new(&[&[n as i64], row].concat())?, &Rows)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.node().attrs.shape("shape")?.clone();
    c.set_output(0, s);
    Ok(())
}
