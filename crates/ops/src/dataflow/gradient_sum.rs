//! `GradientSum`: what an accumulator adds up, dense or by rows.

use super::accumulator::{AccumulatorSpec, Gradient};
use super::row_batch::join;
use crate::state::arithmetic::Arithmetic;
use crate::types::{unsupported, with_numeric};
use ferroflow_graph::kernel::{Outputs, Value};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{Element, Result, Shape, Tensor};
use std::collections::BTreeMap;

/// One row of a sum.
pub(super) struct SummedRow {
    sum: Tensor,
    /// How many gradients touched it.
    count: i64,
    /// The last gradient that touched it.
    last: u64,
}

/// A sum of gradients.
pub(super) enum GradientSum {
    /// None while there is no gradient.
    Dense(Option<Tensor>),
    /// By ascending index; the dimensions of one row, once a gradient has come.
    Sparse { rows: BTreeMap<i64, SummedRow>, row_shape: Option<Shape>, gradients: u64 },
}

impl GradientSum {
    /// No gradients.
    pub(super) fn new(spec: &AccumulatorSpec) -> GradientSum {
        if spec.is_sparse { GradientSum::Sparse { rows: BTreeMap::new(), row_shape: None, gradients: 0 } } else { GradientSum::Dense(None) }
    }

    /// Adds a gradient.
    ///
    /// Errors: `InvalidArgument` if it is of another type, shape or kind; nothing is added then.
    pub(super) fn add(&mut self, spec: &AccumulatorSpec, gradient: Gradient) -> Result<()> {
        match (self, gradient) {
            (GradientSum::Dense(sum), Gradient::Dense(gradient)) => add_dense(sum, spec, gradient),
            (GradientSum::Sparse { rows, row_shape, gradients }, Gradient::Sparse(gradient)) => {
                gradient.check(spec, row_shape.as_ref())?;
                *gradients += 1;
                let number = *gradients;
                let (this_row_shape, indices) = (gradient.row_shape()?, gradient.indices.as_slice::<i64>()?);
                for (i, &index) in indices.iter().enumerate() {
                    let row = super::row_batch::row(&gradient.values, i)?;
                    match rows.get_mut(&index) {
                        None => drop(rows.insert(index, SummedRow { sum: row, count: 1, last: number })),
                        Some(old) => {
                            add_to(&mut old.sum, &row)?;
                            old.count += i64::from(old.last != number);
                            old.last = number;
                        }
                    }
                }
                *row_shape = Some(this_row_shape);
                Ok(())
            }
            _ => Err(invalid_argument("a dense accumulator takes dense gradients, a sparse one sparse gradients")),
        }
    }

    /// Takes the result out: the sum, or divided by the number of gradients. Rows are divided by the number that touched them.
    ///
    /// Errors: `Internal` without gradients; `ResourceExhausted` without memory.
    pub(super) fn take(&mut self, spec: &AccumulatorSpec, count: i64) -> Result<Outputs> {
        let mut outputs = Outputs::new();
        match self {
            GradientSum::Dense(sum) => {
                let mut sum = sum.take().ok_or_else(|| internal("an accumulator has counted gradients but no sum"))?;
                if spec.is_mean {
                    divide(&mut sum, count)?;
                }
                outputs.push(Some(Value::Tensor(sum)));
            }
            GradientSum::Sparse { rows, row_shape, .. } => {
                let row_shape = row_shape.take().ok_or_else(|| internal("an accumulator has counted gradients but no sum"))?;
                let mut rows = std::mem::take(rows);
                if spec.is_mean {
                    rows.values_mut().try_for_each(|row| divide(&mut row.sum, row.count))?;
                }
                let indices: Vec<i64> = rows.keys().copied().collect();
                let sums: Vec<&Tensor> = rows.values().map(|row| &row.sum).collect();
                let values = join(spec.dtype, Shape::new(&[&[indices.len() as i64], row_shape.dims()].concat())?, &sums)?;
                let first = spec.shape.dim(0).unwrap_or(-1);
                let shape = Tensor::vector(&[&[first], row_shape.dims()].concat())?;
                outputs.extend([Tensor::vector(&indices)?, values, shape].map(|t| Some(Value::Tensor(t))));
            }
        }
        Ok(outputs)
    }
}

fn add_dense(sum: &mut Option<Tensor>, spec: &AccumulatorSpec, gradient: Tensor) -> Result<()> {
    if gradient.dtype() != spec.dtype {
        return Err(invalid_argument(format!("Expected gradient of type {}, got {}", spec.dtype, gradient.dtype())));
    }
    if !spec.shape.matches(gradient.shape()) {
        return Err(invalid_argument(format!("Shape mismatch: expected {}, got {}", spec.shape, gradient.shape())));
    }
    match sum {
        None => *sum = Some(gradient),
        Some(sum) => {
            if sum.shape() != gradient.shape() {
                return Err(invalid_argument(format!("Shape mismatch: expected {}, got {}", sum.shape(), gradient.shape())));
            }
            add_to(sum, &gradient)?;
        }
    }
    Ok(())
}

/// Adds element-wise; the shapes must be equal.
///
/// Errors: `InvalidArgument` if they are not; `Unimplemented` for types without arithmetic.
pub(super) fn add_to(sum: &mut Tensor, other: &Tensor) -> Result<()> {
    fn add<T: Element + Arithmetic>(sum: &mut Tensor, other: &Tensor) -> Result<()> {
        let other = other.as_slice::<T>()?;
        sum.make_mut::<T>()?.iter_mut().zip(other).for_each(|(s, &x)| *s = s.plus(x));
        Ok(())
    }
    if sum.shape() != other.shape() {
        return Err(invalid_argument(format!("Shape mismatch: expected {}, got {}", sum.shape(), other.shape())));
    }
    let dtype = sum.dtype();
    with_numeric!(dtype => T, { add::<T>(sum, other) }, else { Err(unsupported("a sum of tensors", dtype)) })
}

fn divide(sum: &mut Tensor, count: i64) -> Result<()> {
    fn by<T: Element + Arithmetic>(sum: &mut Tensor, count: i64) -> Result<()> {
        let n = T::from_count(count);
        sum.make_mut::<T>()?.iter_mut().for_each(|s| *s = s.over(n));
        Ok(())
    }
    if count == 1 {
        return Ok(());
    }
    let dtype = sum.dtype();
    with_numeric!(dtype => T, { by::<T>(sum, count) }, else { Err(unsupported("a mean of tensors", dtype)) })
}
