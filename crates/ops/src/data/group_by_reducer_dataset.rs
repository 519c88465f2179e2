//! `GroupByReducerDataset`: elements with equal keys folded into one.

use super::captured_function::{CapturedFunction, ReadyFunction};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::task::pause;
use crate::prelude::*;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

pub const OP: OpSpec = OpSpec {
    signature: "GroupByReducerDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments: Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments) -> (handle: variant)",
    attrs: "key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: list(type) >= 0; Tinit_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments: list(type) >= 0; Tfinalize_func_other_arguments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    flags: "stateful",
    doc: "For each key_func(element), in order of the keys: state = init_func(key); state = reduce_func(state, element) for each of its elements; finalize_func(state).",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Functions<F> {
    key: F,
    init: F,
    reduce: F,
    finalize: F,
}

struct GroupByReducer {
    input: DatasetHandle,
    functions: Functions<CapturedFunction>,
}

/// The kernel of both names of the op.
///
/// Errors: `InvalidArgument` for missing attributes or inputs.
pub(super) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let mut next = 1;
    let mut function = |name: &str| -> Result<CapturedFunction> {
        let count = ctx.node.attrs.types(&format!("T{name}_func_other_arguments"))?.len();
        let captured = next..next + count;
        next += count;
        CapturedFunction::new(ctx, &format!("{name}_func"), captured)
    };
    let functions =
        Functions { key: function("key")?, init: function("init")?, reduce: function("reduce")?, finalize: function("finalize")? };
    emit(ctx, &[&input], GroupByReducer { input: input.clone(), functions })
}

impl Dataset for GroupByReducer {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let functions = Functions {
            key: self.functions.key.instantiate(ctx)?,
            init: self.functions.init.instantiate(ctx)?,
            reduce: self.functions.reduce.instantiate(ctx)?,
            finalize: self.functions.finalize.instantiate(ctx)?,
        };
        let input = Some(self.input.iterator(ctx)?);
        Ok(Box::new(ReducerIterator { input, functions: Arc::new(functions), states: BTreeMap::new() }))
    }

    fn cardinality(&self) -> i64 {
        if self.input.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

struct ReducerIterator {
    /// Nothing once all of it has been folded.
    input: Option<AnyIterator>,
    functions: Arc<Functions<ReadyFunction>>,
    states: BTreeMap<i64, Element>,
}

impl ReducerIterator {
    async fn fold(&mut self, element: Element, ctx: &IteratorContext) -> Result<()> {
        let functions = self.functions.clone();
        let key = match &functions.key.call(ctx, element.clone()).await?[..] {
            [key] if key.dtype() == DType::Int64 && key.shape().is_scalar() => key.to_scalar::<i64>()?,
            _ => return Err(invalid_argument("`key_func` must return a scalar int64.")),
        };
        let state = match self.states.entry(key) {
            Entry::Occupied(state) => state.into_mut(),
            Entry::Vacant(place) => place.insert(functions.init.call(ctx, vec![Tensor::scalar(key)]).await?),
        };
        let args = state.iter().cloned().chain(element).collect();
        *state = functions.reduce.call(ctx, args).await?;
        Ok(())
    }
}

impl DatasetIterator for ReducerIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            while let Some(input) = &mut self.input {
                match input.next(ctx).await? {
                    Some(element) => self.fold(element, ctx).await?,
                    None => self.input = None,
                }
                pause().await;
            }
            match self.states.pop_first() {
                Some((_, state)) => self.functions.finalize.call(ctx, state).await.map(Some),
                None => Ok(None),
            }
        })
    }
}
