//! `RangeDataset`: a range of numbers.

use super::dataset::{AnyIterator, Dataset, DatasetIterator, Next, emit};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RangeDataset(start: int64, stop: int64, step: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"; replicate_on_split: bool = false",
    flags: "stateful",
    doc: "The numbers start, start + step, … below (or above) stop, of the declared type.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Range {
    start: i64,
    stop: i64,
    step: i64,
    dtype: DType,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (start, stop) = (ctx.scalar::<i64>(0, "start")?, ctx.scalar::<i64>(1, "stop")?);
    let step = ctx.scalar::<i64>(2, "step")?;
    if step == 0 {
        return Err(invalid_argument("step must be a non-zero integer."));
    }
    let dtype = *ctx.node.attrs.dtypes("output_types")?.first().unwrap_or(&DType::Int64);
    number(0, dtype)?;
    emit(ctx, &[], Range { start, stop, step, dtype })
}

/// A number as a scalar of a type; what does not fit wraps, as a cast does.
fn number(x: i64, dtype: DType) -> Result<Tensor> {
    Ok(match dtype {
        DType::Int64 => Tensor::scalar(x),
        DType::Int32 => Tensor::scalar(x as i32),
        DType::Int16 => Tensor::scalar(x as i16),
        DType::Int8 => Tensor::scalar(x as i8),
        DType::UInt8 => Tensor::scalar(x as u8),
        DType::UInt16 => Tensor::scalar(x as u16),
        DType::UInt32 => Tensor::scalar(x as u32),
        DType::UInt64 => Tensor::scalar(x as u64),
        DType::Float => Tensor::scalar(x as f32),
        DType::Double => Tensor::scalar(x as f64),
        DType::Half => Tensor::scalar(half::f16::from_f64(x as f64)),
        DType::BFloat16 => Tensor::scalar(half::bf16::from_f64(x as f64)),
        other => return Err(invalid_argument(format!("a range cannot be of type {other}"))),
    })
}

impl Dataset for Range {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(RangeIterator { next: Some(self.start), stop: self.stop, step: self.step, dtype: self.dtype }))
    }

    fn cardinality(&self) -> i64 {
        let (start, stop, step) = (self.start as i128, self.stop as i128, self.step as i128);
        let distance = if step > 0 { stop - start } else { start - stop };
        i64::try_from((distance.max(0) + step.abs() - 1) / step.abs()).unwrap_or(i64::MAX)
    }
}

struct RangeIterator {
    /// Nothing once the next number is beyond all 64-bit numbers.
    next: Option<i64>,
    stop: i64,
    step: i64,
    dtype: DType,
}

impl DatasetIterator for RangeIterator {
    fn next<'a>(&'a mut self, _: &'a IteratorContext) -> Next<'a> {
        let within = |x: &i64| if self.step > 0 { *x < self.stop } else { *x > self.stop };
        let element = match self.next.filter(within) {
            Some(x) => {
                self.next = x.checked_add(self.step);
                number(x, self.dtype).map(|t| Some(vec![t]))
            }
            None => Ok(None),
        };
        Box::pin(std::future::ready(element))
    }
}
