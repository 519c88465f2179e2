//! `DirectedInterleaveDataset`: one dataset says from which of several the elements come.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::task::pause;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DirectedInterleaveDataset(selector_input_dataset: variant, data_input_datasets: N * variant) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; stop_on_empty_dataset: bool = false",
    doc: "For every number that the selector yields the next element of the dataset of that number.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Directed {
    selector: DatasetHandle,
    inputs: Vec<DatasetHandle>,
    stop_on_empty: bool,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let selector = input_dataset(ctx, 0)?;
    if selector.output_types() != [DType::Int64] {
        return Err(invalid_argument(format!(
            "The selector input must be a dataset of int64 scalars, it is of {:?}",
            selector.output_types()
        )));
    }
    let inputs = (1..ctx.num_inputs()).map(|i| input_dataset(ctx, i)).collect::<Result<Vec<_>>>()?;
    if let Some(other) = inputs.iter().find(|d| d.output_types() != inputs[0].output_types()) {
        return Err(invalid_argument(format!("All data inputs must have same types, got {:?}", other.output_types())));
    }
    let stop_on_empty = ctx.node.attrs.bool("stop_on_empty_dataset")?;
    let handles: Vec<&DatasetHandle> = inputs.iter().chain([&selector]).collect();
    emit(ctx, &handles, Directed { selector: selector.clone(), inputs: inputs.clone(), stop_on_empty })
}

impl Dataset for Directed {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let inputs = self.inputs.iter().map(|d| d.iterator(ctx).map(Some)).collect::<Result<_>>()?;
        Ok(Box::new(DirectedIterator { selector: Some(self.selector.iterator(ctx)?), inputs, stop_on_empty: self.stop_on_empty }))
    }

    fn cardinality(&self) -> i64 {
        UNKNOWN
    }
}

struct DirectedIterator {
    /// Nothing once this is over.
    selector: Option<AnyIterator>,
    /// Nothing where a dataset has ended.
    inputs: Vec<Option<AnyIterator>>,
    stop_on_empty: bool,
}

impl DatasetIterator for DirectedIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                let Some(selector) = &mut self.selector else { return Ok(None) };
                let selected = match selector.next(ctx).await?.as_deref() {
                    Some([number]) => number.to_i64()?,
                    Some(_) => return Err(invalid_argument("the selector must yield one number")),
                    None => break,
                };
                let count = self.inputs.len();
                let input = usize::try_from(selected)
                    .ok()
                    .and_then(|i| self.inputs.get_mut(i))
                    .ok_or_else(|| invalid_argument(format!("Selector index out of range: {selected} >= {count}")))?;
                if let Some(iterator) = input {
                    let element = iterator.next(ctx).await?;
                    if element.is_some() {
                        return Ok(element);
                    }
                    *input = None;
                    if self.stop_on_empty || self.inputs.iter().all(Option::is_none) {
                        break;
                    }
                }
                pause().await;
            }
            self.selector = None;
            Ok(None)
        })
    }
}
