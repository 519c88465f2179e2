//! `SparseAdd`: the sum of two sparse tensors.

use super::coo::{Coo, known_rank, matrix, set_sparse_shape};
use super::merge;
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;
use num_complex::Complex;

pub const OP: OpSpec = OpSpec {
    signature: "SparseAdd(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh: Treal) -> (sum_indices: int64, sum_values: T, sum_shape: int64)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Treal: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "The sum, at every place where one of both has a value, without sums of two values whose magnitude is below `thresh`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC).on("Treal", REAL)],
    ..WORDS
};

/// An element that has a magnitude.
trait Magnitude: Arithmetic + Element {
    type Real: Element;
    fn reaches(self, least: Self::Real) -> bool;
}

macro_rules! real {
    ($($ty:ty)*) => {
        $(impl Magnitude for $ty {
            type Real = $ty;
            fn reaches(self, least: $ty) -> bool {
                let zero = <$ty>::default();
                (if self < zero { zero.minus(self) } else { self }) >= least
            }
        })*
    };
}

real!(half::f16 half::bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64);

impl Magnitude for Complex<f32> {
    type Real = f32;
    fn reaches(self, least: f32) -> bool {
        self.norm() >= least
    }
}

impl Magnitude for Complex<f64> {
    type Real = f64;
    fn reaches(self, least: f64) -> bool {
        self.norm() >= least
    }
}

/// The coordinates and values of the sum.
fn add<T: Magnitude>(a: &Coo, b: &Coo, least: &Tensor) -> Result<(Vec<i64>, Tensor)> {
    let (x, y) = (a.values.as_slice::<T>()?, b.values.as_slice::<T>()?);
    let least = least.to_scalar::<T::Real>()?;
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for place in merge::places(a, b) {
        // As in TF, what only one of both has stays whatever its magnitude.
        let sum = match place {
            (Some(i), Some(j)) => Some(x[i].plus(y[j])).filter(|s| s.reaches(least)),
            (Some(i), None) => Some(x[i]),
            (None, Some(j)) => Some(y[j]),
            (None, None) => None,
        };
        if let Some(sum) = sum {
            indices.extend_from_slice(merge::at(a, b, &place));
            values.push(sum);
        }
    }
    Ok((indices, Tensor::vector(&values)?))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = merge::pair(ctx)?;
    let least = ctx.input(6)?;
    if !least.shape().is_scalar() {
        return Err(invalid_argument(format!("The magnitude threshold must be a scalar: got shape {}", least.shape())));
    }
    let dtype = a.values.dtype();
    let (indices, values) = with_numeric!(dtype => T, { add::<T>(&a, &b, least)? }, else { return Err(unsupported("SparseAdd", dtype)) });
    let outputs = [matrix(values.num_elements(), a.rank(), &indices)?, values, Tensor::vector(&a.dims)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    known_rank(c, 3, 5)?;
    set_sparse_shape(c, 0, rank);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let d = op.graph().op("SparseAddGrad").inputs([grads.dense(1), op.input(0), op.input(3), op.output(0)]).build();
    Ok(vec![None, Some(d.output(0).into()), None, None, Some(d.output(1).into()), None, None])
}
