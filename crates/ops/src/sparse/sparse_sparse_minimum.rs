//! `SparseSparseMinimum`: the lesser of two sparse tensors' elements.

use super::coo::{Coo, known_rank, matrix};
use super::merge;
use crate::prelude::*;
use crate::state::arithmetic::Ordered;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSparseMinimum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64) -> (output_indices: int64, output_values: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "The lesser of both at every place where one has a value; what is missing counts as 0.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

fn values<T: Ordered + Element>(a: &Coo, b: &Coo, places: &[merge::Place]) -> Result<Tensor> {
    let (x, y) = (a.values.as_slice::<T>()?, b.values.as_slice::<T>()?);
    let value = |values: &[T], i: Option<usize>| i.map_or(T::default(), |i| values[i]);
    let all: Vec<T> = places.iter().map(|p| value(x, p.0).lesser(value(y, p.1))).collect();
    Tensor::vector(&all)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = merge::pair(ctx)?;
    let places = merge::places(&a, &b);
    let indices: Vec<i64> = places.iter().flat_map(|p| merge::at(&a, &b, p)).copied().collect();
    let dtype = a.values.dtype();
    let y = with_real!(dtype => T, { values::<T>(&a, &b, &places)? }, else { return Err(unsupported("SparseSparseMinimum", dtype)) });
    let indices = matrix(places.len(), a.rank(), &indices)?;
    ctx.set_output(0, indices);
    ctx.set_output(1, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    known_rank(c, 3, 5)?;
    c.set_output(0, PartialShape::new(&[None, rank]));
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}
