//! The dataset of `Interleave` and `FlatMap`: elements in turn of the datasets that a function makes (TF: `InterleaveDatasetOp`).
//!
//! The parallel forms are the same dataset: the order that they promise with `deterministic` is this one.

use super::captured_function::{CapturedFunction, ReadyFunction};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN};
use super::iterator_context::IteratorContext;
use super::task::pause;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// Most datasets in turn: each is a place in memory, whether there are so many or not.
const MAX_CYCLE_LENGTH: i64 = 1 << 20;

/// The scalar input `cycle_length`; -1 means as many as there are threads.
///
/// Errors: `InvalidArgument` if it is no scalar.
pub(super) fn cycle_length(ctx: &OpKernelContext, i: usize) -> Result<i64> {
    match ctx.scalar::<i64>(i, "cycle_length")? {
        -1 => Ok(i64::try_from(ctx.step.pool.threads()).unwrap_or(1)),
        length => Ok(length),
    }
}

/// The dataset.
pub(super) struct InterleaveDataset {
    input: DatasetHandle,
    function: CapturedFunction,
    cycle_length: usize,
    block_length: i64,
    keeps_blocks: bool,
}

/// Checks the last input of a parallel form against the cycle length at input `i`.
///
/// Errors: `InvalidArgument` for more calls than datasets in turn.
pub(super) fn check_parallelism(ctx: &OpKernelContext, i: usize) -> Result<()> {
    let cycle = ctx.scalar::<i64>(i, "cycle_length")?;
    let calls = ctx.scalar::<i64>(ctx.num_inputs().saturating_sub(1), "num_parallel_calls")?;
    if calls == 0 || calls < -1 {
        return Err(invalid_argument("`num_parallel_calls` must be greater than zero."));
    }
    if cycle > 0 && calls > cycle {
        return Err(invalid_argument(format!(
            "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or a value less than or equal \
             to `cycle_length`. However, `num_parallel_calls` is {calls} and `cycle_length` is {cycle}."
        )));
    }
    Ok(())
}

impl InterleaveDataset {
    /// `block_length` elements in turn of each of `cycle_length` datasets.
    ///
    /// Errors: `InvalidArgument` for numbers that are not positive.
    pub(super) fn new(input: DatasetHandle, function: CapturedFunction, cycle_length: i64, block_length: i64) -> Result<InterleaveDataset> {
        if cycle_length <= 0 || cycle_length > MAX_CYCLE_LENGTH {
            return Err(invalid_argument(format!(
                "cycle_length must be greater than zero and at most {MAX_CYCLE_LENGTH}, got {cycle_length}."
            )));
        }
        if block_length <= 0 {
            return Err(invalid_argument("block_length must be greater than zero."));
        }
        Ok(InterleaveDataset { input, function, cycle_length: cycle_length as usize, block_length, keeps_blocks: false })
    }

    /// As the older parallel form has it: where a dataset ends and there is none to take its place, the next one goes on with what is
    /// left of the block.
    pub(super) fn keeping_blocks(mut self) -> InterleaveDataset {
        self.keeps_blocks = true;
        self
    }
}

impl Dataset for InterleaveDataset {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(InterleaveIterator {
            input: Some(self.input.iterator(ctx)?),
            function: self.function.instantiate(ctx)?,
            cycle: (0..self.cycle_length).map(|_| None).collect(),
            open: 0,
            turn: 0,
            left_in_block: self.block_length,
            block_length: self.block_length,
            keeps_blocks: self.keeps_blocks,
            to_fill: if self.keeps_blocks { self.cycle_length } else { 0 },
        }))
    }

    fn cardinality(&self) -> i64 {
        if self.input.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

struct InterleaveIterator {
    /// Nothing once it has ended.
    input: Option<AnyIterator>,
    function: ReadyFunction,
    cycle: Vec<Option<AnyIterator>>,
    /// How many places of the cycle hold an iterator.
    open: usize,
    turn: usize,
    left_in_block: i64,
    block_length: i64,
    keeps_blocks: bool,
    /// How many places get a dataset before the first turn.
    to_fill: usize,
}

impl InterleaveIterator {
    fn next_turn(&mut self) {
        self.left_in_block = self.block_length;
        self.turn = (self.turn + 1) % self.cycle.len().max(1);
    }

    /// The next turn after a place has run empty for good.
    fn pass_over(&mut self) {
        let left = self.left_in_block;
        self.next_turn();
        if self.keeps_blocks {
            self.left_in_block = left;
        }
    }

    /// Begins the next dataset in the place whose turn it is, if there is one.
    async fn begin(&mut self, ctx: &IteratorContext) -> Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        let Some(element) = input.next(ctx).await? else {
            self.input = None;
            return Ok(());
        };
        let dataset = self.function.call_for_dataset(ctx, element).await?;
        if let Some(place) = self.cycle.get_mut(self.turn) {
            *place = Some(dataset.iterator(ctx)?);
            self.open += 1;
        }
        Ok(())
    }
}

impl DatasetIterator for InterleaveIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            while self.to_fill > 0 && self.input.is_some() {
                self.to_fill -= 1;
                self.begin(ctx).await?;
                self.next_turn();
            }
            if std::mem::take(&mut self.to_fill) > 0 {
                self.turn = 0;
            }
            while self.input.is_some() || self.open > 0 {
                let Some(place) = self.cycle.get_mut(self.turn) else { return Ok(None) };
                if let Some(iterator) = place {
                    let element = iterator.next(ctx).await?;
                    if element.is_some() {
                        self.left_in_block -= 1;
                        if self.left_in_block == 0 {
                            self.next_turn();
                        }
                        return Ok(element);
                    }
                    *place = None;
                    self.open -= 1;
                    if self.keeps_blocks {
                        self.begin(ctx).await?;
                    }
                    if self.input.is_some() {
                        self.next_turn();
                    } else {
                        self.pass_over();
                    }
                } else if self.input.is_some() {
                    self.begin(ctx).await?;
                } else {
                    self.pass_over();
                }
                pause().await;
            }
            Ok(None)
        })
    }
}
