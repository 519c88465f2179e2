//! `TensorDataset`: a dataset of one element.

use super::dataset::{AnyIterator, Dataset, DatasetIterator, Element, Next, emit};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TensorDataset(components: Toutput_types) -> (handle: variant)",
    attrs: "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    flags: "stateful",
    doc: "One element: the components.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Single(Element);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let components = (0..ctx.num_inputs()).map(|i| ctx.input(i).cloned()).collect::<Result<Element>>()?;
    emit(ctx, &[], Single(components))
}

impl Dataset for Single {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(SingleIterator(Some(self.0.clone()))))
    }

    fn cardinality(&self) -> i64 {
        1
    }
}

struct SingleIterator(Option<Element>);

impl DatasetIterator for SingleIterator {
    fn next<'a>(&'a mut self, _: &'a IteratorContext) -> Next<'a> {
        Box::pin(std::future::ready(Ok(self.0.take())))
    }
}
