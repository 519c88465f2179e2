//! `SparseTensorDenseAdd`: a sparse and a dense tensor added up.

use super::coo::Coo;
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "SparseTensorDenseAdd(a_indices: Tindices, a_values: T, a_shape: Tindices, b: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}",
    doc: "The dense sum of `a` and `b`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn add<T: Arithmetic + Element>(a: &Coo, b: &mut Tensor) -> Result<()> {
    let out = b.make_mut::<T>()?;
    for (i, &value) in a.values.as_slice::<T>()?.iter().enumerate() {
        let place = &mut out[a.flat(i)];
        *place = place.plus(value);
    }
    Ok(())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let mut b = ctx.take_input(3)?;
    let a = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    if a.rank() != b.rank() {
        return Err(invalid_argument(format!("Two operands have different ranks; received: {} and {}", a.rank(), b.rank())));
    }
    if *a.dims != *b.dims() {
        return Err(invalid_argument(format!(
            "Dimensions do not match; received {:?} (sparse operand) and {} (dense operand)",
            a.dims,
            b.shape()
        )));
    }
    if let Some((i, d)) = a.first_outside() {
        let dims: Vec<String> = a.dims.iter().map(i64::to_string).collect();
        return Err(invalid_argument(format!(
            "Sparse tensor has an invalid index on dimension {d}: a_indices({i},{d}) = {}, dense tensor shape: {}",
            a.at(i)[d],
            dims.join(" ")
        )));
    }
    with_numeric!(b.dtype() => T, { add::<T>(&a, &mut b)? }, else { return Err(unsupported("SparseTensorDenseAdd", b.dtype())) });
    ctx.set_output(0, b);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let b = c.input(3);
    c.set_output(0, b);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let dy = grads.dense(0);
    let da = op.graph().op("GatherNd").inputs([dy.clone(), op.input(0)]).output();
    Ok(vec![None, Some(da.into()), None, Some(dy.into())])
}
