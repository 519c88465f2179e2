//! The dataset of `PaddedBatch` (TF: `PaddedBatchDatasetOp`).

use super::batch::{batch_size, batches, gather};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use crate::dataflow::row_batch::line_starts;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_tensor::error::{data_loss, invalid_argument, unimplemented};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor};
use std::sync::Arc;

/// How one component is padded.
struct Padding {
    shape: PartialShape,
    value: Tensor,
}

/// The dataset.
pub(super) struct PaddedBatch {
    input: DatasetHandle,
    size: usize,
    drop_remainder: bool,
    padding: Arc<Vec<Padding>>,
}

impl PaddedBatch {
    /// What a node asks for: behind dataset and size come one shape and one padding value per component.
    ///
    /// Errors: `InvalidArgument` for shapes and values that do not fit the components.
    pub(super) fn new(ctx: &OpKernelContext, input: DatasetHandle, drop_remainder: bool) -> Result<PaddedBatch> {
        let size = batch_size(ctx.scalar::<i64>(1, "batch_size")?)?;
        let types = input.output_types();
        let n = types.len();
        if ctx.node.attrs.int("N")? != n as i64 || ctx.num_inputs() < 2 + 2 * n {
            return Err(invalid_argument(format!("expected a padded shape and a padding value for each of {n} components")));
        }
        let mut padding = Vec::with_capacity(n);
        for (i, &dtype) in types.iter().enumerate() {
            let shape = ctx.input(2 + i)?;
            if shape.rank() != 1 {
                return Err(invalid_argument("All padded shapes must be vectors"));
            }
            let shape = PartialShape::from_numbers(&shape.to_i64s()?)?;
            let value = ctx.input(2 + n + i)?.clone();
            if !value.shape().is_scalar() {
                return Err(invalid_argument("All padding values must be scalars"));
            }
            if value.dtype() != dtype {
                let have = value.dtype();
                return Err(invalid_argument(format!(
                    "Mismatched type between padding value {i} and input dataset's component {i}: {have} vs. {dtype}"
                )));
            }
            padding.push(Padding { shape, value });
        }
        Ok(PaddedBatch { input, size, drop_remainder, padding: Arc::new(padding) })
    }
}

impl Dataset for PaddedBatch {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(PaddedBatchIterator {
            input: Some(self.input.iterator(ctx)?),
            size: self.size,
            drop_remainder: self.drop_remainder,
            padding: self.padding.clone(),
        }))
    }

    fn cardinality(&self) -> i64 {
        batches(self.input.cardinality(), self.size, self.drop_remainder)
    }
}

struct PaddedBatchIterator {
    input: Option<AnyIterator>,
    size: usize,
    drop_remainder: bool,
    padding: Arc<Vec<Padding>>,
}

impl DatasetIterator for PaddedBatchIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let elements = gather(&mut self.input, self.size, ctx).await?;
            if elements.is_empty() || self.drop_remainder && elements.len() < self.size {
                return Ok(None);
            }
            let component = |(i, padding): (usize, &Padding)| {
                let column: Vec<&Tensor> = elements.iter().filter_map(|e: &Element| e.get(i)).collect();
                padded(&column, padding)
            };
            self.padding.iter().enumerate().map(component).collect::<Result<Element>>().map(Some)
        })
    }
}

/// The tensors below each other, each padded at its ends.
fn padded(column: &[&Tensor], padding: &Padding) -> Result<Tensor> {
    let wanted = padding.shape.dims().unwrap_or_default();
    let mut dims: Vec<i64> = wanted.iter().map(|d| d.unwrap_or(0)).collect();
    for t in column {
        if t.rank() != wanted.len() {
            return Err(invalid_argument(format!(
                "All elements in a batch must have the same rank as the padded shape for component: expected rank {} but got element with rank {}",
                wanted.len(),
                t.rank()
            )));
        }
        for ((dim, want), &have) in dims.iter_mut().zip(wanted).zip(t.dims()) {
            match want {
                Some(most) if have > *most => {
                    let shape = t.shape();
                    return Err(data_loss(format!(
                        "Attempted to pad to a smaller size than the input element: {shape} to {}.",
                        padding.shape
                    )));
                }
                Some(_) => {}
                None => *dim = (*dim).max(have),
            }
        }
    }
    let shape = Shape::new(&[&[column.len() as i64], &dims[..]].concat())?;
    let width: usize = Shape::new(&dims)?.num_elements();
    let mut out = filled(&padding.value, shape)?;
    for (i, element) in column.iter().enumerate() {
        let starts = line_starts(element.dims(), &dims);
        let line = element.dims().last().map_or(1, |&d| d as usize);
        if element.num_elements() == 0 {
            continue;
        }
        match element.dtype() {
            DType::String => {
                let (from, to) = (element.as_strings()?, out.make_mut_strings()?);
                for (start, source) in starts.iter().zip(from.chunks_exact(line)) {
                    to[i * width + start..][..line].clone_from_slice(source);
                }
            }
            dtype => {
                let size = dtype.size();
                let (from, to) = (element.bytes()?, out.bytes_mut()?);
                for (start, source) in starts.iter().zip(from.chunks_exact(line * size)) {
                    to[(i * width + start) * size..][..line * size].copy_from_slice(source);
                }
            }
        }
    }
    Ok(out)
}

/// A tensor of this shape that holds nothing but the value.
fn filled(value: &Tensor, shape: Shape) -> Result<Tensor> {
    if value.dtype() == DType::String {
        let text = value.as_strings()?.first().cloned().unwrap_or_default();
        let count = shape.num_elements();
        let mut out = Tensor::zeros(DType::String, shape)?;
        if !text.is_empty() {
            *out.make_mut_strings()? = vec![text; count];
        }
        return Ok(out);
    }
    if !value.dtype().is_plain() {
        return Err(unimplemented(format!("elements of type {} cannot be padded", value.dtype())));
    }
    let mut out = Tensor::for_overwrite(value.dtype(), shape)?;
    let bytes = value.bytes()?;
    out.bytes_mut()?.chunks_exact_mut(bytes.len()).for_each(|to| to.copy_from_slice(bytes));
    Ok(out)
}
