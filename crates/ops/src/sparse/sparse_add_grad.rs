//! `SparseAddGrad`: the gradient of `SparseAdd`.

use super::coo::choose;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseAddGrad(backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64) -> (a_val_grad: T, b_val_grad: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "The gradients of the values of both summands from that of the sum's: 0 where the sum has no value.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    ..WORDS
};

/// The gradient of one summand, whose coordinates ascend as those of the sum do.
fn of_summand(grads: &Tensor, own: &Tensor, sum: &Tensor, zero: &Tensor) -> Result<Tensor> {
    let (rank, n, m) = (own.dims()[1] as usize, own.dims()[0] as usize, sum.dims()[0] as usize);
    let (own, sum) = (own.as_slice::<i64>()?, sum.as_slice::<i64>()?);
    let mut k = 0;
    let mut which = Vec::with_capacity(n);
    for i in 0..n {
        let at = &own[i * rank..(i + 1) * rank];
        while k < m && &sum[k * rank..(k + 1) * rank] < at {
            k += 1;
        }
        which.push(if k < m && &sum[k * rank..(k + 1) * rank] == at { (0, k) } else { (1, 0) });
    }
    choose(&[grads, zero], &which)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (grads, a, b, sum) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
    if a.rank() != 2 || b.rank() != 2 || sum.rank() != 2 {
        return Err(invalid_argument(format!(
            "Input indices should be matrices but received shapes: {} and {} and {}",
            a.shape(),
            b.shape(),
            sum.shape()
        )));
    }
    if grads.rank() != 1 {
        return Err(invalid_argument(format!("Input backprop_val_grad should be a vector but received shape: {}", grads.shape())));
    }
    if a.dims()[1] != b.dims()[1] || b.dims()[1] != sum.dims()[1] {
        return Err(invalid_argument("The densified operands should have the same ndims"));
    }
    if grads.dims()[0] != sum.dims()[0] {
        return Err(invalid_argument(format!(
            "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got {} and {}",
            grads.dims()[0],
            sum.dims()[0]
        )));
    }
    let zero = Tensor::zeros(grads.dtype(), Shape::scalar())?;
    let (da, db) = (of_summand(grads, a, sum, &zero)?, of_summand(grads, b, sum, &zero)?);
    ctx.set_output(0, da);
    ctx.set_output(1, db);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 0..2 {
        let n = c.with_rank(i + 1, 2)?.dim(0);
        c.set_output(i, PartialShape::new(&[n]));
    }
    Ok(())
}
