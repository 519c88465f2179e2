//! `DenseToSparseBatchDataset`: batches of elements of different shapes, as sparse tensors.

use super::batch::{batch_size, batches, gather};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::dataflow::row_batch::join;
use crate::prelude::*;
use crate::sparse::coo::matrix;
use crate::sparse::serialized::pack;
use ferroflow_tensor::error::data_loss;

pub const OP: OpSpec = OpSpec {
    signature: "DenseToSparseBatchDataset(input_dataset: variant, batch_size: int64, row_shape: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "batch_size elements at a time as one sparse tensor of shape [batch_size] + row_shape; where row_shape is -1, as large as the largest.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct SparseBatch {
    input: DatasetHandle,
    size: usize,
    row_shape: Vec<i64>,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    if input.output_types().len() != 1 {
        return Err(invalid_argument("DenseToSparseBatchDataset only supports inputs with a single component."));
    }
    let size = batch_size(ctx.scalar::<i64>(1, "batch_size")?)?;
    let row_shape = ctx.input(2)?;
    if row_shape.rank() != 1 {
        return Err(invalid_argument("row_shape must be a vector"));
    }
    let row_shape = row_shape.as_slice::<i64>()?.to_vec();
    if let Some(bad) = row_shape.iter().find(|d| **d < -1) {
        return Err(invalid_argument(format!("Dimension must be >= -1, got {bad}")));
    }
    emit(ctx, &[&input], SparseBatch { input: input.clone(), size, row_shape })
}

impl Dataset for SparseBatch {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let input = Some(self.input.iterator(ctx)?);
        Ok(Box::new(SparseBatchIterator { input, size: self.size, row_shape: self.row_shape.clone() }))
    }

    fn cardinality(&self) -> i64 {
        batches(self.input.cardinality(), self.size, false)
    }
}

struct SparseBatchIterator {
    input: Option<AnyIterator>,
    size: usize,
    row_shape: Vec<i64>,
}

impl SparseBatchIterator {
    fn batch(&self, elements: &[Element]) -> Result<Element> {
        let parts: Vec<&Tensor> = elements.iter().filter_map(|e| e.first()).collect();
        let mut dims = self.row_shape.clone();
        let row_shape = PartialShape::from_numbers(&self.row_shape)?;
        let mut indices = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let refused = |how: &str| format!("Input element had shape ({}) that is {how} the row shape ({row_shape}).", part.shape());
            if part.rank() != dims.len() {
                return Err(invalid_argument(refused("incompatible with")));
            }
            for (axis, &d) in part.dims().iter().enumerate() {
                if self.row_shape[axis] == -1 {
                    dims[axis] = dims[axis].max(d);
                } else if d > self.row_shape[axis] {
                    return Err(data_loss(refused("larger than")));
                }
            }
            for at in 0..part.num_elements() {
                let mut place: Vec<i64> = Vec::with_capacity(part.rank());
                let mut rest = at as i64;
                for &d in part.dims().iter().rev() {
                    place.push(rest % d);
                    rest /= d;
                }
                indices.push(i as i64);
                indices.extend(place.iter().rev());
            }
        }
        let shape: Vec<i64> = std::iter::once(parts.len() as i64).chain(dims.iter().map(|d| (*d).max(0))).collect();
        let total: usize = parts.iter().map(|p| p.num_elements()).sum();
        let dtype = parts.first().map_or(DType::Float, |p| p.dtype());
        let values = join(dtype, Shape::from_lens(&[total])?, &parts)?;
        let parts = [matrix(total, shape.len(), &indices)?, values, Tensor::vector(&shape)?];
        Ok(vec![pack(DType::Variant, Shape::new(&[3])?, &parts)?])
    }
}

impl DatasetIterator for SparseBatchIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let elements = gather(&mut self.input, self.size, ctx).await?;
            if elements.is_empty() { Ok(None) } else { self.batch(&elements).map(Some) }
        })
    }
}
