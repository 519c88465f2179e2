//! The kernels of the queue ops, for both kinds of handles: making, filling, emptying, closing.

use super::queue::{Kind, Queue, QueueSpec};
use super::queue_storage::Element;
use super::resource_handle::{self, object};
use super::row_batch::{row, stack, stack_padded};
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction, OpKernel, OpKernelContext, Outputs, Value};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor};
use std::sync::Arc;

/// The kernel of an op that makes a queue.
///
/// Errors: `InvalidArgument` for attributes that do not fit together.
pub(super) fn make(c: &KernelConstruction, kind: Kind) -> Result<Box<dyn OpKernel>> {
    spec(c.node, kind)?;
    match kind {
        Kind::Fifo => resource_handle::build(c, Queue::TYPE_NAME, new::<0>, check::<0>),
        Kind::PaddingFifo => resource_handle::build(c, Queue::TYPE_NAME, new::<1>, check::<1>),
        Kind::RandomShuffle => resource_handle::build(c, Queue::TYPE_NAME, new::<2>, check::<2>),
        Kind::Priority => resource_handle::build(c, Queue::TYPE_NAME, new::<3>, check::<3>),
    }
}

const KINDS: [Kind; 4] = [Kind::Fifo, Kind::PaddingFifo, Kind::RandomShuffle, Kind::Priority];

fn new<const KIND: usize>(node: &NodeInfo, name: &str) -> Result<Queue> {
    Ok(Queue::new(name, spec(node, KINDS[KIND])?))
}

/// What a node asks for.
fn spec(node: &NodeInfo, kind: Kind) -> Result<QueueSpec> {
    let attrs = &node.attrs;
    let mut component_types = attrs.dtypes("component_types")?;
    let mut shapes = attrs.shapes("shapes")?.to_vec();
    if kind == Kind::PaddingFifo && shapes.is_empty() {
        return Err(invalid_argument("a PaddingFIFOQueue needs a shape for each component, with ranks known"));
    }
    if !shapes.is_empty() && shapes.len() != component_types.len() {
        return Err(invalid_argument(format!("{} shapes are given for {} component types", shapes.len(), component_types.len())));
    }
    let is_bad = |s: &PartialShape| if kind == Kind::PaddingFifo { s.rank().is_none() } else { s.to_shape().is_none() };
    if let Some(bad) = shapes.iter().find(|s| is_bad(s)) {
        return Err(invalid_argument(format!("a {} cannot have components of shape {bad}", kind.name())));
    }
    if kind == Kind::Priority {
        component_types.insert(0, DType::Int64);
        shapes.insert(0, PartialShape::scalar());
        if shapes.len() != component_types.len() {
            shapes.clear();
        }
    }
    let shuffles = kind == Kind::RandomShuffle;
    Ok(QueueSpec {
        kind,
        component_types,
        shapes,
        capacity: attrs.int("capacity")?.max(-1),
        min_after_dequeue: if shuffles { attrs.count("min_after_dequeue")? } else { 0 },
        seeds: if shuffles { (attrs.int("seed")?, attrs.int("seed2")?) } else { (0, 0) },
    })
}

/// Checks that a queue that exists already is what the node asks for.
fn check<const KIND: usize>(queue: &Queue, node: &NodeInfo) -> Result<()> {
    let (have, want) = (queue.spec(), spec(node, KINDS[KIND])?);
    let differs = |what: &str, have: String, want: String| {
        invalid_argument(format!("Shared queue '{}' has {what} {have} but requested {what} was {want}.", queue.name()))
    };
    if *have == want {
        return Ok(());
    }
    Err(if have.kind != want.kind {
        invalid_argument(format!("Expected {}, found {}", have.kind.name(), node.op_name()))
    } else if have.capacity != want.capacity {
        let text = |n: i64| if n < 0 { i32::MAX as i64 } else { n }.to_string();
        differs("capacity", text(have.capacity), text(want.capacity))
    } else if have.component_types != want.component_types {
        differs("component types", format!("{:?}", have.component_types), format!("{:?}", want.component_types))
    } else if have.shapes != want.shapes {
        differs("component shapes", format!("{:?}", have.shapes), format!("{:?}", want.shapes))
    } else if have.min_after_dequeue != want.min_after_dequeue {
        differs("min_after_dequeue", have.min_after_dequeue.to_string(), want.min_after_dequeue.to_string())
    } else {
        differs("random seeds", format!("{:?}", have.seeds), format!("{:?}", want.seeds))
    })
}

/// What a kernel does with a queue.
#[derive(Clone, Copy)]
pub(super) enum Action {
    Enqueue,
    EnqueueMany,
    Dequeue,
    DequeueMany,
    DequeueUpTo,
    Close { cancel_pending: bool },
}

struct QueueKernel(Action);

/// The kernel of an op that may wait.
///
/// Errors: `InvalidArgument` for a timeout, which TF does not support either.
pub(super) fn waiting(c: &KernelConstruction, action: Action) -> Result<Box<dyn AsyncOpKernel>> {
    if c.node.attrs.contains("timeout_ms") && c.node.attrs.int("timeout_ms")? != -1 {
        return Err(invalid_argument("Timeout not supported yet."));
    }
    Ok(Box::new(QueueKernel(action)))
}

/// The kernel of `QueueClose`.
///
/// Errors: `InvalidArgument` without the attribute.
pub(super) fn closing(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    waiting(c, Action::Close { cancel_pending: c.node.attrs.bool("cancel_pending_enqueues")? })
}

/// The queue that input 0 names.
fn queue(ctx: &AsyncOpContext) -> Result<Arc<Queue>> {
    let handle = ctx.inputs.first().ok_or_else(|| invalid_argument("the queue's handle is missing"))?;
    object(&ctx.step.resources, handle)
}

impl AsyncOpKernel for QueueKernel {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let started = queue(&ctx).and_then(|queue| match self.0 {
            Action::Enqueue => Ok((element(&ctx, &queue)?, 0, queue)),
            Action::EnqueueMany => Ok((elements(&ctx, &queue)?, 0, queue)),
            Action::Dequeue => {
                check_types(&queue, &ctx.node)?;
                Ok((vec![], 1, queue))
            }
            Action::DequeueMany => Ok((vec![], batch_size(&ctx, &queue, "DequeueManyOp")?, queue)),
            Action::DequeueUpTo => Ok((vec![], batch_size(&ctx, &queue, "DequeueUpToOp")?, queue)),
            Action::Close { .. } => Ok((vec![], 0, queue)),
        });
        let (elements, wanted, queue) = match started {
            Ok(started) => started,
            Err(e) => return done(Err(e)),
        };
        let cancellation = &ctx.step.cancellation;
        let nothing = |done: Done| Box::new(move |result: Result<()>| done(result.map(|()| Outputs::new())));
        match self.0 {
            Action::Enqueue | Action::EnqueueMany => queue.enqueue(elements, cancellation, nothing(done)),
            Action::Close { cancel_pending } => queue.close(cancel_pending, cancellation, nothing(done)),
            Action::Dequeue => {
                let one = |mut taken: Vec<Element>| taken.pop().unwrap_or_default().into_iter().map(|t| Some(t.into())).collect();
                queue.dequeue(1, false, cancellation, Box::new(move |taken| done(taken.map(one))));
            }
            Action::DequeueMany | Action::DequeueUpTo => {
                let allow_small = matches!(self.0, Action::DequeueUpTo);
                let spec = queue.spec().clone();
                queue.dequeue(wanted, allow_small, cancellation, Box::new(move |taken| done(taken.and_then(|t| batch(&spec, &t)))));
            }
        }
    }
}

/// The components of the node must be the queue's.
fn check_types(queue: &Queue, node: &NodeInfo) -> Result<()> {
    let wanted: Vec<DType> = node.output_types.iter().map(|t| t.dtype).collect();
    if wanted == queue.spec().component_types {
        return Ok(());
    }
    Err(invalid_argument(format!(
        "Queue '{}' has component types {:?}, but {} asks for {wanted:?}",
        queue.name(),
        queue.spec().component_types,
        node.op_name()
    )))
}

/// The tensors to enqueue; `many` have a first dimension in addition to a component's.
fn components<'a>(ctx: &'a AsyncOpContext, queue: &Queue, many: bool) -> Result<Vec<&'a Tensor>> {
    let spec = queue.spec();
    let tensors: Vec<&Tensor> = (1..ctx.inputs.len()).map(|i| ctx.input(i)).collect::<Result<_>>()?;
    if tensors.len() != spec.component_types.len() {
        return Err(invalid_argument(format!(
            "Wrong number of components in tuple. Expected {}, got {}",
            spec.component_types.len(),
            tensors.len()
        )));
    }
    for (i, t) in tensors.iter().enumerate() {
        if t.dtype() != spec.component_types[i] {
            let want = spec.component_types[i];
            return Err(invalid_argument(format!("Type mismatch in tuple component {i}. Expected {want}, got {}", t.dtype())));
        }
        if many && t.rank() == 0 {
            return Err(invalid_argument(format!("Shape mismatch in tuple component {i}. A batch must have at least one dimension")));
        }
        let Some(want) = spec.shapes.get(i) else { continue };
        let fits = if many { want.matches(&Shape::new(&t.dims()[1..])?) } else { want.matches(t.shape()) };
        if !fits {
            let dims = want.dims().unwrap_or_default();
            let want = if many { PartialShape::new(&[&[t.dims().first().copied()], dims].concat()) } else { want.clone() };
            return Err(invalid_argument(format!("Shape mismatch in tuple component {i}. Expected {want}, got {}", t.shape())));
        }
    }
    Ok(tensors)
}

fn element(ctx: &AsyncOpContext, queue: &Queue) -> Result<Vec<Element>> {
    let element: Element = components(ctx, queue, false)?.into_iter().cloned().collect();
    check_priority(queue, &element)?;
    Ok(vec![element])
}

/// The first component of a priority queue's element is a scalar, whatever the declared shapes.
fn check_priority(queue: &Queue, element: &Element) -> Result<()> {
    match element.first() {
        Some(t) if queue.spec().kind == Kind::Priority && t.rank() != 0 => {
            Err(invalid_argument(format!("Expected priority element to be a scalar, but received shape: {}", t.shape())))
        }
        _ => Ok(()),
    }
}

fn elements(ctx: &AsyncOpContext, queue: &Queue) -> Result<Vec<Element>> {
    let tensors = components(ctx, queue, true)?;
    let rows = tensors.first().map_or(0, |t| t.shape().dim(0));
    if let Some((i, t)) = tensors.iter().enumerate().find(|(_, t)| t.shape().dim(0) != rows) {
        return Err(invalid_argument(format!(
            "All input tensors must have the same size in the 0th dimension. Component {i} has {}, and should have {rows}",
            t.shape().dim(0)
        )));
    }
    let mut elements = Vec::with_capacity(rows);
    for r in 0..rows {
        let element: Element = tensors.iter().map(|t| row(t, r)).collect::<Result<_>>()?;
        check_priority(queue, &element)?;
        elements.push(element);
    }
    Ok(elements)
}

/// How many elements a batch is to have.
fn batch_size(ctx: &AsyncOpContext, queue: &Queue, op: &str) -> Result<usize> {
    check_types(queue, &ctx.node)?;
    let n = ctx.input(1)?;
    if n.rank() != 0 {
        return Err(invalid_argument(format!("{op} n must be a scalar, but received tensor of shape: {}", n.shape())));
    }
    let n = n.to_i64()?;
    if queue.spec().shapes.is_empty() {
        return Err(invalid_argument(format!(
            "{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
            queue.spec().kind.name()
        )));
    }
    usize::try_from(n).map_err(|_| invalid_argument(format!("{op} requested {n} < 0 elements")))
}

/// The elements below each other, one tensor per component.
fn batch(spec: &QueueSpec, elements: &[Element]) -> Result<Outputs> {
    let mut outputs = Outputs::new();
    for (i, (&dtype, shape)) in spec.component_types.iter().zip(&spec.shapes).enumerate() {
        let column: Vec<&Tensor> = elements.iter().filter_map(|e| e.get(i)).collect();
        let tensor = match shape.to_shape() {
            Some(shape) => stack(dtype, &shape, &column)?,
            None => {
                let least: Vec<i64> = shape.dims().unwrap_or_default().iter().map(|d| d.unwrap_or(0)).collect();
                stack_padded(dtype, &least, &column)?
            }
        };
        outputs.push(Some(Value::Tensor(tensor)));
    }
    Ok(outputs)
}

/// The kernel of `QueueSize`.
///
/// Errors: `NotFound` if the queue does not exist.
pub(super) fn size(ctx: &mut OpKernelContext) -> Result<()> {
    let size = object::<Queue>(ctx.resources(), ctx.value(0)?)?.size();
    ctx.set_output(0, Tensor::scalar(i32::try_from(size).unwrap_or(i32::MAX)));
    Ok(())
}

/// The kernel of `QueueIsClosed`.
///
/// Errors: `NotFound` if the queue does not exist.
pub(super) fn is_closed(ctx: &mut OpKernelContext) -> Result<()> {
    let closed = object::<Queue>(ctx.resources(), ctx.value(0)?)?.is_closed();
    ctx.set_output(0, Tensor::scalar(closed));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::Code;

    fn make(op: &str, step: &Arc<StepContext>, dims: &[Option<i64>]) -> OpTester {
        OpTester::named(op)
            .attr("component_types", vec![DType::Float])
            .attr("shapes", vec![PartialShape::new(dims)])
            .attr("shared_name", "q")
            .step(step)
    }

    fn put(step: &Arc<StepContext>, handle: &Tensor, values: Vec<Tensor>, many: bool) -> Result<Vec<Tensor>> {
        let op = if many { "QueueEnqueueManyV2" } else { "QueueEnqueueV2" };
        OpTester::named(op).input(handle.clone()).input_list(values).step(step).run()
    }

    fn take(step: &Arc<StepContext>, handle: &Tensor, n: i32) -> Result<Vec<Tensor>> {
        let tester = OpTester::named("QueueDequeueManyV2").input(handle.clone()).input(Tensor::scalar(n));
        tester.attr("component_types", vec![DType::Float]).step(step).run()
    }

    #[test]
    fn batches_go_in_and_come_out() {
        let step = bare_step(1);
        let q = make("FIFOQueueV2", &step, &[Some(2)]).run_one().unwrap();
        put(&step, &q, vec![tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0])], true).unwrap();
        put(&step, &q, vec![tensor(&[2], &[5f32, 6.0])], false).unwrap();
        assert_eq!(OpTester::named("QueueSizeV2").input(q.clone()).step(&step).run_one().unwrap().to_scalar::<i32>().unwrap(), 3);
        let out = take(&step, &q, 2).unwrap().remove(0);
        assert_eq!((out.dims(), out.as_slice::<f32>().unwrap()), (&[2i64, 2][..], &[1f32, 2.0, 3.0, 4.0][..]));
        let one = OpTester::named("QueueDequeueV2").input(q.clone()).attr("component_types", vec![DType::Float]).step(&step).run_one();
        assert_eq!(one.unwrap().as_slice::<f32>().unwrap(), [5.0, 6.0]);
        assert_eq!(take(&step, &q, 0).unwrap()[0].dims(), [0, 2]);
        OpTester::named("QueueCloseV2").input(q.clone()).step(&step).run().unwrap();
        let closed = OpTester::named("QueueIsClosedV2").input(q).step(&step).run_one().unwrap();
        assert!(closed.to_scalar::<bool>().unwrap());
    }

    #[test]
    fn a_padding_queue_makes_its_elements_equal() {
        let step = bare_step(1);
        let q = make("PaddingFIFOQueueV2", &step, &[None]).run_one().unwrap();
        put(&step, &q, vec![tensor(&[1], &[1f32])], false).unwrap();
        put(&step, &q, vec![tensor(&[2], &[2f32, 3.0])], false).unwrap();
        assert_eq!(take(&step, &q, 2).unwrap()[0].as_slice::<f32>().unwrap(), [1.0, 0.0, 2.0, 3.0]);
        assert_eq!(put(&step, &q, vec![Tensor::scalar(1f32)], false).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_least_priority_comes_first() {
        let step = bare_step(1);
        let q = make("PriorityQueueV2", &step, &[]).run_one().unwrap();
        put(&step, &q, vec![tensor(&[3], &[5i64, 1, 3]), tensor(&[3], &[0.5f32, 0.1, 0.3])], true).unwrap();
        let out = OpTester::named("QueueDequeueManyV2").input(q.clone()).input(Tensor::scalar(3i32));
        let out = out.attr("component_types", vec![DType::Int64, DType::Float]).step(&step).run().unwrap();
        assert_eq!(out[0].as_slice::<i64>().unwrap(), [1, 3, 5]);
        assert_eq!(out[1].as_slice::<f32>().unwrap(), [0.1, 0.3, 0.5]);
        let error = put(&step, &q, vec![tensor(&[1], &[5i64]), Tensor::scalar(0f32)], false).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }

    #[test]
    fn nodes_that_share_a_queue_must_agree_on_it() {
        let step = bare_step(1);
        make("FIFOQueueV2", &step, &[]).attr("capacity", 2i64).run().unwrap();
        let error = make("FIFOQueueV2", &step, &[]).attr("capacity", 3i64).run().unwrap_err();
        assert_eq!(error.bare_message(), "Shared queue 'q' has capacity 2 but requested capacity was 3.");
        assert_eq!(error.code(), Code::InvalidArgument);
        let error = make("RandomShuffleQueueV2", &step, &[]).run().unwrap_err();
        assert_eq!(error.bare_message(), "Expected FIFOQueue, found RandomShuffleQueueV2");
        let error = make("FIFOQueueV2", &step, &[Some(1)]).attr("capacity", 2i64).run().unwrap_err();
        assert!(error.bare_message().contains("component shapes"), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let step = bare_step(1);
        let q = make("FIFOQueueV2", &step, &[Some(2)]).run_one().unwrap();
        let message = |values, many| put(&step, &q, values, many).unwrap_err().bare_message().to_owned();
        assert_eq!(message(vec![tensor(&[3], &[0f32; 3])], false), "Shape mismatch in tuple component 0. Expected [2], got [3]");
        assert_eq!(message(vec![tensor(&[3], &[0f32; 3])], true), "Shape mismatch in tuple component 0. Expected [3,2], got [3]");
        assert!(message(vec![Tensor::scalar(0f32)], true).starts_with("Shape mismatch"));
        assert!(message(vec![tensor(&[2], &[0f64; 2])], false).starts_with("Type mismatch"));
        assert!(message(vec![tensor(&[2], &[0f32; 2]), tensor(&[2], &[0f32; 2])], false).starts_with("Wrong number of components"));
        assert_eq!(take(&step, &q, -1).unwrap_err().bare_message(), "DequeueManyOp requested -1 < 0 elements");
        let wrong_types = OpTester::named("QueueDequeueV2").input(q.clone()).attr("component_types", vec![DType::Int32]).step(&step).run();
        assert_eq!(wrong_types.unwrap_err().code(), Code::InvalidArgument);
        let timeout = OpTester::named("QueueDequeueV2").input(q).attr("component_types", vec![DType::Float]).attr("timeout_ms", 5i64);
        assert_eq!(timeout.step(&step).run().unwrap_err().code(), Code::InvalidArgument);
        let no_shapes = OpTester::named("FIFOQueueV2").attr("component_types", vec![DType::Float]).attr("shared_name", "r");
        let r = no_shapes.step(&step).run_one().unwrap();
        assert!(take(&step, &r, 1).unwrap_err().bare_message().contains("specified shapes"));
    }
}
