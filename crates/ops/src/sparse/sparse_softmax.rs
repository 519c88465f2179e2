//! `SparseSoftmax`: the softmax of the values of each row.

use super::coo::{Coo, known_rank};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::Float;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSoftmax(sp_indices: int64, sp_values: T, sp_shape: int64) -> (output: T)",
    attrs: "T: type in {half, float, double}",
    doc: "The softmax over the values that exist along the last dimension.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float, DType::Double])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn softmax<T: Float + Element>(x: &Coo, order: &[usize]) -> Result<Tensor> {
    let values = x.values.as_slice::<T>()?;
    let row = |i: usize| &x.at(i)[..x.rank() - 1];
    let mut out = Vec::with_capacity(values.len());
    for group in order.chunk_by(|&a, &b| row(a) == row(b)) {
        let greatest = group.iter().fold(T::neg_infinity(), |m, &i| m.max(values[i]));
        let exp: Vec<T> = group.iter().map(|&i| (values[i] - greatest).exp()).collect();
        let sum = exp.iter().fold(T::zero(), |s, &e| s + e);
        out.extend(exp.iter().map(|&e| e / sum));
    }
    Tensor::vector(&out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    if x.rank() < 2 {
        return Err(invalid_argument(format!("Input should have rank >= 2, but got: {}", x.rank())));
    }
    x.check_bounds()?;
    let dtype = x.values.dtype();
    let order = x.order();
    let y = with_float!(dtype => T, { softmax::<T>(&x, &order)? }, else { return Err(unsupported("SparseSoftmax", dtype)) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    known_rank(c, 0, 2)?;
    let values = c.with_rank(1, 1)?;
    c.set_output(0, values);
    Ok(())
}
