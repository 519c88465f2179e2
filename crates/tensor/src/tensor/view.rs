//! Other views of a tensor's memory: another shape, another type of equal size, some of its rows.

use super::{Data, Tensor};
use crate::dtype::DType;
use crate::error::{Result, invalid_argument};
use crate::shape::Shape;
use std::sync::Arc;

impl Tensor {
    /// The same elements under another shape, sharing memory.
    ///
    /// Errors: `InvalidArgument` if the numbers of elements differ.
    pub fn reshaped(mut self, shape: Shape) -> Result<Tensor> {
        if shape.num_elements() != self.num_elements() {
            return Err(invalid_argument(format!(
                "Input to reshape is a tensor with {} values, but the requested shape has {}",
                self.num_elements(),
                shape.num_elements()
            )));
        }
        if *self.shape() != shape {
            self.own().shape = shape;
        }
        Ok(self)
    }

    /// The same memory read as another plain type of equal size (TF: `Bitcast`).
    ///
    /// Errors: `InvalidArgument` if the sizes differ or bool is asked for.
    #[inline]
    pub fn reinterpreted(mut self, dtype: DType) -> Result<Tensor> {
        let from = self.dtype();
        if !dtype.is_plain() || dtype.size() != from.size() || dtype == DType::Bool && from != DType::Bool {
            return Err(invalid_argument(format!("cannot reinterpret {from} as {dtype}")));
        }
        if dtype != from {
            self.own().dtype = dtype;
        }
        Ok(self)
    }

    /// Rows `start..start + len` of the first dimension; plain tensors share memory.
    ///
    /// Errors: `InvalidArgument` for a scalar or rows outside the tensor.
    pub fn rows(&self, start: usize, len: usize) -> Result<Tensor> {
        let dims = self.dims();
        let end = start.checked_add(len);
        if dims.is_empty() || end.is_none_or(|e| e > dims[0] as usize) {
            return Err(invalid_argument(format!("rows {start}..+{len} are outside a tensor of shape {}", self.shape())));
        }
        let mut new_dims: smallvec::SmallVec<[i64; 8]> = dims.iter().copied().collect();
        new_dims[0] = len as i64;
        let row: usize = dims[1..].iter().product::<i64>() as usize;
        let shape = Shape::new(&new_dims)?;
        let range = start * row..(start + len) * row;
        let size = self.dtype().size();
        let data = match &self.0.data {
            Data::Small(_) => return Tensor::from_bytes(self.dtype(), shape, &self.bytes()?[range.start * size..range.end * size]),
            Data::Plain { buffer, offset } => Data::Plain { buffer: buffer.clone(), offset: offset + range.start * size },
            Data::Strings(s) => Data::Strings(Arc::new(s[range].to_vec())),
            Data::Resources(r) => Data::Resources(Arc::new(r[range].to_vec())),
            Data::Variants(v) => Data::Variants(Arc::new(v[range].to_vec())),
        };
        Ok(Tensor::new(self.dtype(), shape, data))
    }

    /// A copy that shares nothing.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub fn deep_copy(&self) -> Result<Tensor> {
        let data = match &self.0.data {
            Data::Small(words) => Data::Small(*words),
            Data::Plain { .. } => return Tensor::from_bytes(self.dtype(), self.shape().clone(), self.bytes()?),
            Data::Strings(s) => Data::Strings(Arc::new(s.to_vec())),
            Data::Resources(r) => Data::Resources(Arc::new(r.to_vec())),
            Data::Variants(v) => Data::Variants(Arc::new(v.to_vec())),
        };
        Ok(Tensor::new(self.dtype(), self.shape().clone(), data))
    }
}
