//! The dataset of `Map` and `ParallelMap`: a function of every element, several calls of which may be under way (TF: `MapDatasetOp`,
//! `ParallelMapDatasetOp`).
//!
//! Elements leave in the order of the input, whatever `deterministic` says.

use super::captured_function::{Call, CapturedFunction, ReadyFunction};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Code, Result};
use std::collections::VecDeque;

/// What stands for "as many as are good" where a number is asked for (TF: `AUTOTUNE`).
const AUTOTUNE: i64 = -1;

/// The number of calls that may be under way.
///
/// Errors: `InvalidArgument` for a number that is neither positive nor -1.
pub(super) fn parallelism(ctx: &OpKernelContext, calls: i64) -> Result<usize> {
    match calls {
        AUTOTUNE => Ok(ctx.step.pool.threads()),
        _ => usize::try_from(calls)
            .ok()
            .filter(|&n| n > 0)
            .map(|n| n.min(MAX_PARALLELISM))
            .ok_or_else(|| invalid_argument(format!("num_parallel_calls must be greater than zero, got {calls}."))),
    }
}

/// More calls at once only cost memory.
const MAX_PARALLELISM: usize = 1024;

/// The dataset.
pub(super) struct MapDataset {
    input: DatasetHandle,
    function: CapturedFunction,
    preserve_cardinality: bool,
    calls: usize,
}

impl MapDataset {
    /// A function of the elements of `input`, with at most `calls` calls under way.
    pub(super) fn new(input: DatasetHandle, function: CapturedFunction, preserve_cardinality: bool, calls: usize) -> MapDataset {
        MapDataset { input, function, preserve_cardinality, calls }
    }
}

impl Dataset for MapDataset {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let input = self.input.iterator(ctx)?;
        let (function, preserve_cardinality) = (self.function.instantiate(ctx)?, self.preserve_cardinality);
        Ok(match self.calls {
            1 => Box::new(MapIterator { input, function, preserve_cardinality }),
            calls => Box::new(ParallelMapIterator {
                input: Some(input),
                function,
                preserve_cardinality,
                calls,
                under_way: VecDeque::new(),
                is_over: false,
            }),
        })
    }

    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }
}

/// What a call's result means: `OutOfRange` from within the function ends the dataset, unless it must keep its number of elements.
fn output(result: Result<Element>, preserve_cardinality: bool) -> Result<Option<Element>> {
    match result {
        Ok(element) => Ok(Some(element)),
        Err(e) if e.code() == Code::OutOfRange && preserve_cardinality => {
            let node = e.node().map(str::to_owned);
            let error = invalid_argument(format!("Function invocation produced OutOfRangeError: {}", e.bare_message()));
            Err(match node {
                Some(node) => error.at_node(&node),
                None => error,
            })
        }
        Err(e) if e.code() == Code::OutOfRange => Ok(None),
        Err(e) => Err(e),
    }
}

struct MapIterator {
    input: AnyIterator,
    function: ReadyFunction,
    preserve_cardinality: bool,
}

impl DatasetIterator for MapIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let Some(element) = self.input.next(ctx).await? else { return Ok(None) };
            output(self.function.call(ctx, element).await, self.preserve_cardinality)
        })
    }
}

/// A call, or why there was no element to call the function for.
enum UnderWay {
    Call(Call),
    Failed(ferroflow_tensor::Error),
}

struct ParallelMapIterator {
    /// Nothing once it has ended.
    input: Option<AnyIterator>,
    function: ReadyFunction,
    preserve_cardinality: bool,
    calls: usize,
    under_way: VecDeque<UnderWay>,
    is_over: bool,
}

impl ParallelMapIterator {
    /// Begins calls until as many are under way as may be.
    async fn fill(&mut self, ctx: &IteratorContext) {
        while self.under_way.len() < self.calls {
            let Some(input) = &mut self.input else { return };
            match input.next(ctx).await {
                Ok(Some(element)) => self.under_way.push_back(UnderWay::Call(self.function.call_elsewhere(ctx, element))),
                Ok(None) => self.input = None,
                Err(e) => self.under_way.push_back(UnderWay::Failed(e)),
            }
        }
    }
}

impl DatasetIterator for ParallelMapIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            if self.is_over {
                return Ok(None);
            }
            self.fill(ctx).await;
            let element = match self.under_way.pop_front() {
                Some(UnderWay::Call(call)) => output(call.await, self.preserve_cardinality)?,
                Some(UnderWay::Failed(e)) => return Err(e),
                None => None,
            };
            if element.is_none() {
                self.is_over = true;
                self.input = None;
                self.under_way.clear();
            }
            Ok(element)
        })
    }
}
