//! The dataset of `GroupByWindow`: elements gathered by key, a full group at a time made into a dataset (TF: `GroupByWindowDatasetOp`).

use super::captured_function::{CapturedFunction, ReadyFunction};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next, UNKNOWN};
use super::elements::ElementsDataset;
use super::iterator_context::IteratorContext;
use super::task::pause;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Tensor};
use std::collections::BTreeMap;
use std::sync::Arc;

struct Functions<F> {
    key: F,
    reduce: F,
    window_size: F,
}

/// The dataset.
pub(super) struct GroupByWindow {
    input: DatasetHandle,
    functions: Functions<CapturedFunction>,
}

impl GroupByWindow {
    /// What a node asks for; the captured inputs of the three functions lie behind each other.
    ///
    /// Errors: `InvalidArgument` for missing attributes or inputs.
    pub(super) fn new(ctx: &OpKernelContext, input: DatasetHandle) -> Result<GroupByWindow> {
        let count = |name: &str| ctx.node.attrs.types(name).map(<[_]>::len);
        let reduce = 1 + count("Tkey_func_other_arguments")?;
        let size = reduce + count("Treduce_func_other_arguments")?;
        let functions = Functions {
            key: CapturedFunction::new(ctx, "key_func", 1..reduce)?,
            reduce: CapturedFunction::new(ctx, "reduce_func", reduce..size)?,
            window_size: CapturedFunction::new(ctx, "window_size_func", size..ctx.num_inputs())?,
        };
        Ok(GroupByWindow { input, functions })
    }
}

impl Dataset for GroupByWindow {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let functions = Functions {
            key: self.functions.key.instantiate(ctx)?,
            reduce: self.functions.reduce.instantiate(ctx)?,
            window_size: self.functions.window_size.instantiate(ctx)?,
        };
        Ok(Box::new(GroupIterator {
            input: Some(self.input.iterator(ctx)?),
            source: self.input.clone(),
            functions: Arc::new(functions),
            groups: BTreeMap::new(),
            current: None,
        }))
    }

    fn cardinality(&self) -> i64 {
        if self.input.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

struct Group {
    size: usize,
    elements: Vec<Element>,
}

struct GroupIterator {
    input: Option<AnyIterator>,
    /// Tells the types of the components.
    source: DatasetHandle,
    functions: Arc<Functions<ReadyFunction>>,
    /// By key: what is left at the end leaves in that order.
    groups: BTreeMap<i64, Group>,
    /// The dataset that a full group became.
    current: Option<AnyIterator>,
}

/// The only value, an int64 scalar.
fn number(values: &[Tensor], function: &ReadyFunction) -> Result<i64> {
    match values {
        [n] => n.to_scalar::<i64>(),
        other => Err(invalid_argument(format!("`{}` must return one int64 scalar, it returns {} values", function.name(), other.len()))),
    }
}

impl GroupIterator {
    async fn reduce(&mut self, key: i64, elements: Vec<Element>, ctx: &IteratorContext) -> Result<()> {
        let (types, shapes) = (self.source.output_types().to_vec(), self.source.output_shapes().to_vec());
        let group = DatasetHandle::new(ElementsDataset::new(elements), &[], types, shapes)?;
        let args = vec![Tensor::scalar(key), group.to_tensor()?];
        let reduced = self.functions.reduce.call_for_dataset(ctx, args).await?;
        self.current = Some(reduced.iterator(ctx)?);
        Ok(())
    }

    /// Puts an element into its group; the elements of the group if that is full now.
    async fn gather(&mut self, element: Element, ctx: &IteratorContext) -> Result<Option<(i64, Vec<Element>)>> {
        let functions = self.functions.clone();
        let key = number(&functions.key.call(ctx, element.clone()).await?, &functions.key)?;
        let size = match self.groups.get(&key) {
            Some(group) => group.size,
            None => {
                let size = number(&functions.window_size.call(ctx, vec![Tensor::scalar(key)]).await?, &functions.window_size)?;
                let size = usize::try_from(size).ok().filter(|&n| n > 0);
                size.ok_or_else(|| invalid_argument("Window size must be greater than zero."))?
            }
        };
        let group = self.groups.entry(key).or_insert_with(|| Group { size, elements: Vec::new() });
        group.elements.push(element);
        if group.elements.len() < group.size {
            return Ok(None);
        }
        Ok(self.groups.remove(&key).map(|group| (key, group.elements)))
    }
}

impl DatasetIterator for GroupIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                if let Some(current) = &mut self.current {
                    let element = current.next(ctx).await?;
                    if element.is_some() {
                        return Ok(element);
                    }
                    self.current = None;
                }
                if let Some(input) = &mut self.input {
                    match input.next(ctx).await? {
                        None => self.input = None,
                        Some(element) => {
                            if let Some((key, elements)) = self.gather(element, ctx).await? {
                                self.reduce(key, elements, ctx).await?;
                            }
                        }
                    }
                } else if let Some((key, group)) = self.groups.pop_first() {
                    self.reduce(key, group.elements, ctx).await?;
                } else {
                    return Ok(None);
                }
                pause().await;
            }
        })
    }
}
