//! `SparseSliceGrad`: the gradient of `SparseSlice`.

use super::coo::choose;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSliceGrad(backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64) -> (val_grad: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "The gradient of each value of the input: that of the output's value at the same place, or 0.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (grads, input, start, output) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
    let ([n, rank], [m, width]) = (input.dims(), output.dims()) else {
        return Err(invalid_argument(format!(
            "Input indices should be matrices but received shapes: {} and {}",
            input.shape(),
            output.shape()
        )));
    };
    if grads.dims() != [*m] {
        return Err(invalid_argument(format!(
            "Number of elements in grad and output indices must match, but the shapes are {} and {}",
            grads.shape(),
            output.shape()
        )));
    }
    if rank != width {
        return Err(invalid_argument(format!("The number of columns of the indices must match, but they are {rank} and {width}")));
    }
    if start.dims() != [*rank] {
        return Err(invalid_argument(format!("The input_start should be a vector of length {rank} but received shape {}", start.shape())));
    }
    let rank = *rank as usize;
    let (input, start, output) = (input.as_slice::<i64>()?, start.as_slice::<i64>()?, output.as_slice::<i64>()?);
    let zero = Tensor::zeros(grads.dtype(), Shape::scalar())?;
    let mut next = 0;
    let mut which = Vec::with_capacity(*n as usize);
    for i in 0..*n as usize {
        let at = &input[i * rank..(i + 1) * rank];
        let is_next = next < *m as usize
            && output[next * rank..(next + 1) * rank].iter().zip(at.iter().zip(start)).all(|(o, (a, s))| a.checked_sub(*s) == Some(*o));
        which.push(if is_next { (0, next) } else { (1, 0) });
        next += usize::from(is_next);
    }
    if next != *m as usize {
        return Err(invalid_argument(format!("Elements of backprop_val_grad aren't all propagated. Num elements: {m}, used: {next}")));
    }
    let d = choose(&[grads, &zero], &which)?;
    ctx.set_output(0, d);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 1)?;
    let n = c.with_rank(1, 2)?.dim(0);
    c.set_output(0, PartialShape::new(&[n]));
    Ok(())
}
