//! `ScanDataset`: a function of every element that carries a state along.

use super::captured_function::{CapturedFunction, ReadyFunction};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ScanDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (handle: variant)",
    attrs: "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; preserve_cardinality: bool = false; use_default_device: bool = true; metadata: string = \"\"",
    doc: "For every element: (state, output) = f(state, element, captured inputs); the outputs.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Scan {
    input: DatasetHandle,
    initial_state: Element,
    function: CapturedFunction,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let states = ctx.node.attrs.types("Tstate")?.len();
    let initial_state = (1..1 + states).map(|i| ctx.input(i).cloned()).collect::<Result<Element>>()?;
    let function = CapturedFunction::new(ctx, "f", 1 + states..ctx.num_inputs())?;
    emit(ctx, &[&input], Scan { input: input.clone(), initial_state, function })
}

impl Dataset for Scan {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let (input, state) = (self.input.iterator(ctx)?, self.initial_state.clone());
        Ok(Box::new(ScanIterator { input, state, function: self.function.instantiate(ctx)? }))
    }

    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }
}

struct ScanIterator {
    input: AnyIterator,
    state: Element,
    function: ReadyFunction,
}

impl DatasetIterator for ScanIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let Some(element) = self.input.next(ctx).await? else { return Ok(None) };
            let args = self.state.iter().cloned().chain(element).collect();
            let mut state = self.function.call(ctx, args).await?;
            if state.len() < self.state.len() {
                return Err(invalid_argument(format!("`f` returns {} values, fewer than the state has", state.len())));
            }
            let output = state.split_off(self.state.len());
            if let Some((old, new)) = self.state.iter().zip(&state).find(|(old, new)| old.dtype() != new.dtype()) {
                return Err(invalid_argument(format!("`f` returns a state of type {} in place of {}", new.dtype(), old.dtype())));
            }
            self.state = state;
            Ok(Some(output))
        })
    }
}
