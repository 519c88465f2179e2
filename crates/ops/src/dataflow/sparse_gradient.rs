//! `SparseGradient`: rows of a gradient, as `SparseAccumulatorApplyGradient` gets them, and whether they fit an accumulator.

use super::accumulator::AccumulatorSpec;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Shape, Tensor};

/// Rows of a gradient (TF: `IndexedSlices`).
pub(super) struct SparseGradient {
    /// `[n]`, int64.
    pub(super) indices: Tensor,
    /// `[n, …]`
    pub(super) values: Tensor,
    /// The shape of the whole, if it is known.
    pub(super) shape: Option<Tensor>,
}

impl SparseGradient {
    /// The dimensions of one row.
    ///
    /// Errors: `InvalidArgument` if values is a scalar.
    pub(super) fn row_shape(&self) -> Result<Shape> {
        match self.values.dims() {
            [_, row @ ..] => Shape::new(row),
            [] => Err(invalid_argument("Values should have at least one dimension")),
        }
    }

    /// Checks the rows against each other, against the accumulator and against rows that it holds already.
    ///
    /// Errors: `InvalidArgument` saying what does not fit.
    pub(super) fn check(&self, spec: &AccumulatorSpec, held: Option<&Shape>) -> Result<()> {
        if self.values.dtype() != spec.dtype {
            return Err(invalid_argument(format!("Expected gradient of type {}, got {}", spec.dtype, self.values.dtype())));
        }
        if self.indices.rank() != 1 {
            return Err(invalid_argument(format!("Input indices should be vector but received shape: {}", self.indices.shape())));
        }
        let row_shape = self.row_shape()?;
        let indices = self.indices.as_slice::<i64>()?;
        if self.values.dims().first() != Some(&(indices.len() as i64)) {
            return Err(invalid_argument(format!("{} indices do not fit values of shape {}", indices.len(), self.values.shape())));
        }
        if let Some(held) = held
            && *held != row_shape
        {
            return Err(invalid_argument(format!("Shape mismatch: expected rows of shape {held}, got {row_shape}")));
        }
        if let Some(shape) = &self.shape {
            if shape.rank() != 1 {
                return Err(invalid_argument(format!("Input shape should be vector but received shape: {}", shape.shape())));
            }
            let shape = shape.as_slice::<i64>()?;
            if shape.get(1..) != Some(row_shape.dims()) {
                return Err(invalid_argument(format!("Shape mismatch: expected values of shape {shape:?}, got {}", self.values.shape())));
            }
            check_limit(indices, shape[0])?;
        }
        // A scalar shape says nothing: synchronous optimizers make such accumulators.
        if let Some(dims) = spec.shape.dims().filter(|d| !d.is_empty()) {
            let fits = dims.len() == self.values.rank() && dims[1..].iter().zip(row_shape.dims()).all(|(d, r)| d.is_none_or(|d| d == *r));
            if !fits {
                return Err(invalid_argument(format!("Shape mismatch: expected {}, got values of {}", spec.shape, self.values.shape())));
            }
            if let Some(limit) = dims[0] {
                check_limit(indices, limit)?;
            }
        }
        check_limit(indices, i64::MAX)
    }
}

fn check_limit(indices: &[i64], limit: i64) -> Result<()> {
    match indices.iter().enumerate().find(|(_, index)| !(0..limit).contains(*index)) {
        None => Ok(()),
        Some((i, index)) => {
            Err(invalid_argument(format!("Shape mismatch: index of slice {i} exceeded limits of shape; index is {index} exceeded {limit}")))
        }
    }
}
