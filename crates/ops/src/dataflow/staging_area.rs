//! Staging areas: tuples that wait between two steps, in order (`Stage`) or under keys (`MapStage`) (TF: `StagingArea`, `StagingMap`).

use super::waiting_line::{Attempt, WaitingLine};
use crate::prelude::*;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, Outputs, Resource, ResourceManager};
use ferroflow_tensor::error::resource_exhausted;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A tuple whose tensors may not all be there, yet or any more.
type Tuple = Vec<Option<Tensor>>;

/// What lies in an area.
pub(super) struct Staged {
    queue: VecDeque<Tuple>,
    complete: BTreeMap<i64, Tuple>,
    incomplete: BTreeMap<i64, Tuple>,
    bytes: usize,
    /// Most tuples; 0 without limit.
    capacity: usize,
    /// Most bytes; 0 without limit.
    memory_limit: usize,
}

/// A staging area.
pub(super) struct StagingArea(Arc<WaitingLine<Staged>>);

impl Resource for StagingArea {
    fn type_name(&self) -> &'static str {
        "StagingArea"
    }
}

fn bytes(tuple: &[Option<Tensor>]) -> usize {
    tuple.iter().flatten().map(Tensor::num_bytes).sum()
}

impl Staged {
    fn has_room(&self, count: usize, more: usize, is_new: bool) -> bool {
        let fits = self.capacity == 0 || count < self.capacity || !is_new;
        fits && (self.memory_limit == 0 || self.bytes + more <= self.memory_limit)
    }

    fn check_size(&self, size: usize) -> Result<()> {
        if self.memory_limit > 0 && size > self.memory_limit {
            return Err(resource_exhausted(format!(
                "Attempted to insert tensors with combined size of '{size}' bytes into Staging Area with a memory limit of '{}'.",
                self.memory_limit
            )));
        }
        Ok(())
    }

    /// How many tuples can be taken out.
    pub(super) fn size(&self) -> usize {
        self.queue.len() + self.complete.len()
    }

    /// How many tuples lack a tensor.
    pub(super) fn incomplete_size(&self) -> usize {
        self.incomplete.len()
    }

    /// Throws everything away.
    pub(super) fn clear(&mut self) {
        self.queue.clear();
        self.complete.clear();
        self.incomplete.clear();
        self.bytes = 0;
    }

    /// Adds tensors to the tuple under a key, which has `size` of them.
    fn put(&mut self, key: i64, size: usize, tensors: &[(usize, Tensor)]) -> Result<()> {
        if self.complete.contains_key(&key) {
            return Err(invalid_argument(format!("there is a tuple under key {key} already")));
        }
        let tuple = self.incomplete.entry(key).or_insert_with(|| vec![None; size]);
        if let Some((i, _)) = tensors.iter().find(|(i, _)| tuple.get(*i).is_none_or(Option::is_some)) {
            return Err(invalid_argument(format!("The tensor for index '{i}' for key '{key}' was already initialized '{size}'.")));
        }
        for (i, t) in tensors {
            self.bytes += t.num_bytes();
            tuple[*i] = Some(t.clone());
        }
        if tuple.iter().all(Option::is_some)
            && let Some(tuple) = self.incomplete.remove(&key)
        {
            self.complete.insert(key, tuple);
        }
        Ok(())
    }

    /// The tensors at these places of the tuple under a key; they leave it unless they are only looked at.
    fn get(&mut self, key: i64, indices: &[usize], keep: bool) -> Result<Vec<Tensor>> {
        let Some(tuple) = self.complete.get_mut(&key) else { return Ok(vec![]) };
        let mut out = Vec::with_capacity(indices.len());
        for &i in indices {
            let place =
                tuple.get_mut(i).ok_or_else(|| invalid_argument(format!("Index '{i}' is out of bounds of a tuple under key '{key}'")))?;
            let tensor = place
                .clone()
                .ok_or_else(|| invalid_argument(format!("Tensor at index '{i}' for key '{key}' has already been removed.")))?;
            out.push(tensor);
        }
        if !keep {
            for &i in indices {
                if let Some(t) = tuple[i].take() {
                    self.bytes = self.bytes.saturating_sub(t.num_bytes());
                }
            }
            if tuple.iter().all(Option::is_none) {
                self.complete.remove(&key);
            }
        }
        Ok(out)
    }
}

/// The area that a node names.
///
/// Errors: `InvalidArgument` for attributes that make no sense.
pub(super) fn area(resources: &ResourceManager, node: &NodeInfo) -> Result<Arc<WaitingLine<Staged>>> {
    let attrs = &node.attrs;
    let shared = attrs.str("shared_name")?;
    let name = if shared.is_empty() { &*node.name } else { shared };
    let (capacity, memory_limit) = (attrs.count("capacity")?, attrs.count("memory_limit")?);
    let make = || {
        let empty =
            Staged { queue: VecDeque::new(), complete: BTreeMap::new(), incomplete: BTreeMap::new(), bytes: 0, capacity, memory_limit };
        Ok(StagingArea(Arc::new(WaitingLine::new(empty))))
    };
    Ok(resources.lookup_or_create(resources.container(attrs.str("container")?), name, make)?.0.clone())
}

/// What a kernel does.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Action {
    Stage,
    Unstage,
    Peek,
    MapStage,
    MapUnstage,
    MapUnstageNoKey,
    MapPeek,
}

struct StagingKernel(Action);

/// The kernel of an op that may wait.
///
/// Errors: none.
pub(super) fn waiting(action: Action) -> Result<Box<dyn AsyncOpKernel>> {
    Ok(Box::new(StagingKernel(action)))
}

impl AsyncOpKernel for StagingKernel {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let started = area(&ctx.step.resources, &ctx.node).and_then(|area| Ok((area, attempt(self.0, &ctx)?)));
        match started {
            Ok((area, attempt)) => area.attempt(&ctx.step.cancellation, attempt, done),
            Err(e) => done(Err(e)),
        }
    }
}

fn number(t: &Tensor, name: &str) -> Result<i64> {
    if !t.shape().is_scalar() {
        return Err(invalid_argument(format!("{name} must be a scalar, got shape {}", t.shape())));
    }
    t.to_i64()
}

fn places(t: &Tensor) -> Result<Vec<usize>> {
    if t.rank() != 1 {
        return Err(invalid_argument(format!("indices must be a vector, got shape {}", t.shape())));
    }
    let place = |&i: &i64| usize::try_from(i).map_err(|_| invalid_argument(format!("index {i} is negative")));
    t.to_i64s()?.iter().map(place).collect()
}

/// Tensors as outputs of these types.
fn outputs(tensors: Vec<Tensor>, types: &[DType], key: Option<i64>) -> Result<Outputs> {
    if tensors.len() != types.len() || tensors.iter().zip(types).any(|(t, d)| t.dtype() != *d) {
        let have: Vec<DType> = tensors.iter().map(Tensor::dtype).collect();
        return Err(invalid_argument(format!("a staged tuple has types {have:?}, but {types:?} are asked for")));
    }
    let key = key.map(|k| Some(Tensor::scalar(k).into()));
    Ok(key.into_iter().chain(tensors.into_iter().map(|t| Some(t.into()))).collect())
}

fn attempt(action: Action, ctx: &AsyncOpContext) -> Result<Attempt<Staged>> {
    let types = ctx.node.attrs.dtypes("dtypes")?;
    Ok(match action {
        Action::Stage => {
            let tuple: Tuple = (0..ctx.inputs.len()).map(|i| ctx.input(i).cloned().map(Some)).collect::<Result<_>>()?;
            let size = bytes(&tuple);
            let mut tuple = Some(tuple);
            Box::new(move |staged| {
                if let Err(e) = staged.check_size(size) {
                    return Some(Err(e));
                }
                staged.has_room(staged.queue.len(), size, true).then(|| {
                    staged.bytes += size;
                    staged.queue.extend(tuple.take());
                    Ok(Outputs::new())
                })
            })
        }
        Action::Unstage => Box::new(move |staged| {
            let tuple = staged.queue.pop_front()?;
            staged.bytes = staged.bytes.saturating_sub(bytes(&tuple));
            Some(outputs(tuple.into_iter().flatten().collect(), &types, None))
        }),
        Action::Peek => {
            let index = usize::try_from(number(ctx.input(0)?, "index")?).map_err(|_| invalid_argument("index is negative"))?;
            Box::new(move |staged| Some(outputs(staged.queue.get(index)?.iter().flatten().cloned().collect(), &types, None)))
        }
        Action::MapStage => {
            let (key, places) = (number(ctx.input(0)?, "key")?, places(ctx.input(1)?)?);
            let given = ctx.inputs.len() - 2;
            if places.len() != given {
                return Err(invalid_argument(format!("{given} values do not go with {} indices", places.len())));
            }
            let mut tensors = Vec::with_capacity(given);
            for (k, &place) in places.iter().enumerate() {
                let t = ctx.input(2 + k)?;
                match types.get(place) {
                    Some(&dtype) if dtype == t.dtype() => tensors.push((place, t.clone())),
                    _ => {
                        return Err(invalid_argument(format!(
                            "a value of type {} cannot be at index {place} of a tuple of {types:?}",
                            t.dtype()
                        )));
                    }
                }
            }
            let size = tensors.iter().map(|(_, t)| t.num_bytes()).sum();
            Box::new(move |staged| {
                if let Err(e) = staged.check_size(size) {
                    return Some(Err(e));
                }
                let is_new = !staged.incomplete.contains_key(&key);
                staged
                    .has_room(staged.complete.len() + staged.incomplete.len(), size, is_new)
                    .then(|| staged.put(key, types.len(), &tensors).map(|()| Outputs::new()))
            })
        }
        Action::MapUnstage | Action::MapPeek => {
            let (key, places) = (number(ctx.input(0)?, "key")?, places(ctx.input(1)?)?);
            let keep = action == Action::MapPeek;
            Box::new(move |staged| staged.complete.contains_key(&key).then(|| outputs(staged.get(key, &places, keep)?, &types, None)))
        }
        Action::MapUnstageNoKey => {
            let places = places(ctx.input(0)?)?;
            Box::new(move |staged| {
                let key = *staged.complete.keys().next()?;
                Some(staged.get(key, &places, false).and_then(|tensors| outputs(tensors, &types, Some(key))))
            })
        }
    })
}

/// The kernel of an op that counts tuples.
///
/// Errors: as [`area`].
pub(super) fn count(ctx: &mut OpKernelContext, which: fn(&Staged) -> usize) -> Result<()> {
    let n = area(ctx.resources(), ctx.node)?.with(|staged| which(staged));
    ctx.set_output(0, Tensor::scalar(i32::try_from(n).unwrap_or(i32::MAX)));
    Ok(())
}

/// The kernel of an op that empties an area.
///
/// Errors: as [`area`].
pub(super) fn clear(ctx: &mut OpKernelContext) -> Result<()> {
    area(ctx.resources(), ctx.node)?.with(Staged::clear);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::error::cancelled;
    use ferroflow_tensor::{Code, DType, Result, Tensor};
    use std::sync::{Arc, mpsc};

    fn op(name: &str, step: &Arc<StepContext>) -> OpTester {
        OpTester::named(name).attr("dtypes", vec![DType::Float, DType::Int32]).attr("shared_name", "a").attr("capacity", 2i64).step(step)
    }

    fn stage(step: &Arc<StepContext>, x: f32) -> OpTester {
        op("Stage", step).input_list([Tensor::scalar(x), Tensor::scalar(x as i32)])
    }

    fn number(t: &Tensor) -> i32 {
        t.to_scalar().unwrap()
    }

    #[test]
    fn tuples_leave_in_the_order_in_which_they_came() {
        let step = bare_step(1);
        stage(&step, 1.0).run().unwrap();
        stage(&step, 2.0).run().unwrap();
        assert_eq!(number(&op("StageSize", &step).run_one().unwrap()), 2);
        assert_eq!(number(&op("StagePeek", &step).input(Tensor::scalar(1i32)).run().unwrap()[1]), 2);
        assert_eq!(number(&op("Unstage", &step).run().unwrap()[1]), 1);
        op("StageClear", &step).run().unwrap();
        assert_eq!(number(&op("StageSize", &step).run_one().unwrap()), 0);
    }

    #[test]
    fn a_full_area_and_an_empty_one_make_wait() {
        let step = bare_step(1);
        let (send, results) = mpsc::channel();
        let run = |tester: OpTester| {
            let (node, inputs) = tester.build().unwrap();
            let send = send.clone();
            std::thread::spawn(move || send.send(node.run(inputs).map(drop)).unwrap());
        };
        run(op("Unstage", &step));
        stage(&step, 1.0).run().unwrap();
        results.recv().unwrap().unwrap();
        stage(&step, 2.0).run().unwrap();
        stage(&step, 3.0).run().unwrap();
        run(stage(&step, 4.0));
        assert_eq!(number(&op("Unstage", &step).run().unwrap()[1]), 2);
        results.recv().unwrap().unwrap();
        assert_eq!(number(&op("StageSize", &step).run_one().unwrap()), 2);
        run(stage(&step, 5.0));
        step.cancellation.cancel(cancelled("the client is gone"));
        assert_eq!(results.recv().unwrap().unwrap_err().code(), Code::Cancelled);
    }

    #[test]
    fn tuples_under_keys_may_come_and_go_in_parts() {
        let step = bare_step(1);
        let indices = |i: &[i32]| tensor(&[i.len() as i64], i);
        let put = |key: i64, i: i32, value: Tensor| -> Result<Vec<Tensor>> {
            op("MapStage", &step).input(key).input(indices(&[i])).input_list([value]).run()
        };
        put(7, 1, Tensor::scalar(3i32)).unwrap();
        assert_eq!(number(&op("MapIncompleteSize", &step).run_one().unwrap()), 1);
        assert_eq!(put(7, 1, Tensor::scalar(3i32)).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(put(7, 0, Tensor::scalar(3i32)).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(put(7, 2, Tensor::scalar(3i32)).unwrap_err().code(), Code::InvalidArgument);
        put(7, 0, Tensor::scalar(0.5f32)).unwrap();
        assert_eq!(number(&op("MapSize", &step).run_one().unwrap()), 1);
        let part = |name: &str, dtype: DType, i: i32| {
            OpTester::named(name).attr("dtypes", vec![dtype]).attr("shared_name", "a").step(&step).input(7i64).input(indices(&[i])).run()
        };
        assert_eq!(number(&part("MapPeek", DType::Int32, 1).unwrap()[0]), 3);
        assert_eq!(part("MapPeek", DType::Float, 1).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(number(&part("MapUnstage", DType::Int32, 1).unwrap()[0]), 3);
        assert_eq!(part("MapUnstage", DType::Int32, 1).unwrap_err().code(), Code::InvalidArgument);
        part("MapUnstage", DType::Float, 0).unwrap();
        assert_eq!(number(&op("MapSize", &step).run_one().unwrap()), 0);
        op("OrderedMapStage", &step)
            .input(2i64)
            .input(indices(&[0, 1]))
            .input_list([Tensor::scalar(1f32), Tensor::scalar(2i32)])
            .run()
            .unwrap();
        op("OrderedMapStage", &step)
            .input(1i64)
            .input(indices(&[0, 1]))
            .input_list([Tensor::scalar(1f32), Tensor::scalar(1i32)])
            .run()
            .unwrap();
        let least = op("OrderedMapUnstageNoKey", &step).input(indices(&[0, 1])).run().unwrap();
        assert_eq!((least[0].to_scalar::<i64>().unwrap(), number(&least[2])), (1, 1));
    }
}
