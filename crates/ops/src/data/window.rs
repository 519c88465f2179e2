//! The dataset of `Window`: datasets of neighbouring elements (TF: `WindowDatasetOp`).

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::elements::ElementsDataset;
use super::iterator_context::IteratorContext;
use super::task::pause;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::collections::VecDeque;

/// The dataset.
pub(super) struct WindowDataset {
    input: DatasetHandle,
    size: usize,
    shift: usize,
    stride: usize,
    drop_remainder: bool,
}

impl WindowDataset {
    /// What a node asks for.
    ///
    /// Errors: `InvalidArgument` for numbers that are not positive.
    pub(super) fn new(ctx: &OpKernelContext, input: DatasetHandle) -> Result<WindowDataset> {
        let positive = |i: usize, name: &str, title: &str| -> Result<usize> {
            let n = ctx.scalar::<i64>(i, name)?;
            usize::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| invalid_argument(format!("Window {title} must be greater than zero.")))
        };
        let (size, shift) = (positive(1, "size", "size")?, positive(2, "shift", "shift")?);
        let stride = positive(3, "stride", "stride")?;
        if (size - 1).checked_mul(stride).is_none() {
            return Err(invalid_argument("a window of that size and stride spans too many elements"));
        }
        Ok(WindowDataset { input, size, shift, stride, drop_remainder: ctx.scalar(4, "drop_remainder")? })
    }
}

impl Dataset for WindowDataset {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(WindowIterator {
            input: Some(self.input.iterator(ctx)?),
            source: self.input.clone(),
            buffer: VecDeque::new(),
            to_skip: 0,
            span: (self.size - 1) * self.stride + 1,
            shift: self.shift,
            stride: self.stride,
            drop_remainder: self.drop_remainder,
        }))
    }

    fn cardinality(&self) -> i64 {
        let n = self.input.cardinality();
        let (Ok(shift), Ok(span)) = (i64::try_from(self.shift), i64::try_from((self.size - 1) * self.stride + 1)) else {
            return super::dataset::UNKNOWN;
        };
        match n {
            n if n < 0 => n,
            n if self.drop_remainder => {
                if n < span {
                    0
                } else {
                    (n - span) / shift + 1
                }
            }
            n => n / shift + i64::from(n % shift != 0),
        }
    }
}

struct WindowIterator {
    input: Option<AnyIterator>,
    /// Tells the types of the components.
    source: DatasetHandle,
    /// Elements from the beginning of the next window on.
    buffer: VecDeque<Element>,
    /// Elements of the input that lie before the next window and have not been read yet.
    to_skip: usize,
    /// How far a window reaches.
    span: usize,
    shift: usize,
    stride: usize,
    drop_remainder: bool,
}

impl WindowIterator {
    async fn fill(&mut self, ctx: &IteratorContext) -> Result<()> {
        while self.to_skip > 0 || self.buffer.len() < self.span {
            let Some(input) = &mut self.input else { break };
            match input.next(ctx).await? {
                Some(_) if self.to_skip > 0 => self.to_skip -= 1,
                Some(element) => self.buffer.push_back(element),
                None => self.input = None,
            }
            pause().await;
        }
        Ok(())
    }

    /// A dataset per component.
    fn window(&self) -> Result<Element> {
        let elements: Vec<&Element> = self.buffer.iter().take(self.span).step_by(self.stride).collect();
        let types = self.source.output_types().iter().zip(self.source.output_shapes());
        let component = |(i, (&dtype, shape)): (usize, (&_, &ferroflow_tensor::PartialShape))| {
            let column = elements.iter().filter_map(|e| e.get(i).map(|t| vec![t.clone()])).collect();
            DatasetHandle::new(ElementsDataset::new(column), &[], vec![dtype], vec![shape.clone()])?.to_tensor()
        };
        types.enumerate().map(component).collect()
    }
}

impl DatasetIterator for WindowIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            self.fill(ctx).await?;
            if self.buffer.is_empty() || self.drop_remainder && self.buffer.len() < self.span {
                self.buffer.clear();
                return Ok(None);
            }
            let window = self.window()?;
            let gone = self.shift.min(self.buffer.len());
            self.buffer.drain(..gone);
            self.to_skip = self.shift - gone;
            Ok(Some(window))
        })
    }
}
