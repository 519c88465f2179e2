//! `TensorSliceDataset`: the rows of tensors.

use super::dataset::{AnyIterator, Dataset, DatasetIterator, Element, Next, emit};
use super::iterator_context::IteratorContext;
use super::rows::Rows;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TensorSliceDataset(components: Toutput_types) -> (handle: variant)",
    attrs: "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; is_files: bool = false; metadata: string = \"\"; replicate_on_split: bool = false",
    flags: "stateful",
    doc: "One element per row: row i of every component.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Slices(Element);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let components = (0..ctx.num_inputs()).map(|i| ctx.input(i).cloned()).collect::<Result<Element>>()?;
    Rows::new(components.clone())?;
    emit(ctx, &[], Slices(components))
}

impl Dataset for Slices {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(SlicesIterator(Rows::new(self.0.clone())?)))
    }

    fn cardinality(&self) -> i64 {
        self.0.first().and_then(|t| t.dims().first().copied()).unwrap_or(0)
    }
}

struct SlicesIterator(Rows);

impl DatasetIterator for SlicesIterator {
    fn next<'a>(&'a mut self, _: &'a IteratorContext) -> Next<'a> {
        Box::pin(std::future::ready(self.0.next().transpose()))
    }
}
