//! The kernels of the barrier ops.

use super::barrier_state::{Barrier, Ready};
use super::resource_handle::{self, object};
use super::row_batch::{row, stack};
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, Outputs};
use std::sync::Arc;

/// The kernel of `Barrier`.
///
/// Errors: `InvalidArgument` for attributes that do not fit together.
pub(super) fn make(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Barrier::of(c.node, "")?;
    resource_handle::build(c, "Barrier", Barrier::of, |barrier, node| {
        let (types, shapes) = (node.attrs.dtypes("component_types")?, node.attrs.shapes("shapes")?);
        let list = |items: Vec<String>| items.join(", ");
        let differ = |what: &str, have: Vec<String>, wanted: Vec<String>| {
            let (have, wanted) = (list(have), list(wanted));
            invalid_argument(format!("Shared barrier has component {what} {have} but requested component {what} were {wanted}"))
        };
        let texts = |x: &[PartialShape]| x.iter().map(|s| s.to_string()).collect();
        barrier.0.with(|state| {
            if state.component_types != types {
                let names = |x: &[DType]| x.iter().map(|t| t.to_string()).collect();
                return Err(differ("types", names(&state.component_types), names(&types)));
            }
            if state.shapes != shapes { Err(differ("shapes", texts(&state.shapes), texts(shapes))) } else { Ok(()) }
        })
    })
}

/// The barrier that input 0 names.
///
/// Errors: `NotFound` if there is none.
pub(super) fn barrier(ctx: &OpKernelContext) -> Result<Arc<Barrier>> {
    object(ctx.resources(), ctx.value(0)?)
}

/// The kernel of `BarrierInsertMany`.
///
/// Errors: `InvalidArgument` for what does not fit; `Cancelled` if the barrier is closed.
pub(super) fn insert(ctx: &mut OpKernelContext) -> Result<()> {
    let (keys, values) = (ctx.input(1)?, ctx.input(2)?);
    if keys.rank() != 1 {
        return Err(invalid_argument(format!("keys must be a vector, but received shape: {}", keys.shape())));
    }
    if values.rank() == 0 || values.dims()[0] != keys.dims()[0] {
        return Err(invalid_argument(format!(
            "the first dimension of values {} must be the number of keys {}",
            values.shape(),
            keys.num_elements()
        )));
    }
    let component = ctx.node.attrs.count("component_index")?;
    let mut entries = Vec::with_capacity(keys.num_elements());
    for (i, key) in keys.as_strings()?.iter().enumerate() {
        entries.push((key.clone(), row(values, i)?));
    }
    let is_empty = values.num_elements() == 0 && !entries.is_empty();
    barrier(ctx)?.0.with(|state| match is_empty {
        true => {
            Err(invalid_argument(format!("Tensors with no elements are not supported {}: received shape {}", state.name(), values.shape())))
        }
        false => state.insert(component, &entries),
    })
}

/// The kernel of `BarrierClose`.
///
/// Errors: `Cancelled` if it is closed already.
pub(super) fn close(ctx: &mut OpKernelContext) -> Result<()> {
    let cancel_pending = ctx.node.attrs.bool("cancel_pending_enqueues")?;
    barrier(ctx)?.0.with(|state| state.close(cancel_pending))
}

/// The kernel of an op that counts tuples.
///
/// Errors: `NotFound` if there is no such barrier.
pub(super) fn count(ctx: &mut OpKernelContext, which: fn((usize, usize)) -> usize) -> Result<()> {
    let n = which(barrier(ctx)?.0.with(|state| state.sizes()));
    ctx.set_output(0, Tensor::scalar(i32::try_from(n).unwrap_or(i32::MAX)));
    Ok(())
}

struct TakeKernel;

/// The kernel of `BarrierTakeMany`.
///
/// Errors: `InvalidArgument` for a timeout, which TF does not support either.
pub(super) fn take(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    if c.node.attrs.int("timeout_ms")? != -1 {
        return Err(invalid_argument("Timeout not supported yet."));
    }
    Ok(Box::new(TakeKernel))
}

/// Tuples below each other.
fn batch(taken: Vec<Ready>, types: &[DType]) -> Result<Outputs> {
    let indices: Vec<i64> = taken.iter().map(|t| t.0).collect();
    let keys: Vec<Bytes> = taken.iter().map(|t| t.1.clone()).collect();
    let n = Shape::from_lens(&[keys.len()])?;
    let mut outputs = Outputs::new();
    outputs.push(Some(Tensor::vector(&indices)?.into()));
    outputs.push(Some(Tensor::strings(n, keys)?.into()));
    for (i, &dtype) in types.iter().enumerate() {
        let column: Vec<&Tensor> = taken.iter().filter_map(|t| t.2.get(i)).collect();
        let shape = column.first().map_or_else(Shape::scalar, |t| t.shape().clone());
        outputs.push(Some(stack(dtype, &shape, &column)?.into()));
    }
    Ok(outputs)
}

impl AsyncOpKernel for TakeKernel {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let start = || -> Result<_> {
            let handle = ctx.inputs.first().ok_or_else(|| invalid_argument("the barrier's handle is missing"))?;
            let barrier = object::<Barrier>(&ctx.step.resources, handle)?;
            let n = ctx.input(1)?;
            if !n.shape().is_scalar() {
                return Err(invalid_argument(format!("num_elements must be a scalar, got shape {}", n.shape())));
            }
            let n = usize::try_from(n.to_i64()?).map_err(|_| invalid_argument("num_elements must not be negative"))?;
            let attrs = &ctx.node.attrs;
            let types = attrs.dtypes("component_types")?;
            if barrier.0.with(|state| state.component_types != types) {
                return Err(invalid_argument(format!("the barrier has other component types than {types:?}")));
            }
            Ok((barrier, n, attrs.bool("allow_small_batch")?, attrs.bool("wait_for_incomplete")?, types))
        };
        match start() {
            Err(e) => done(Err(e)),
            Ok((barrier, n, small, wait, types)) => {
                let attempt = move |state: &mut super::barrier_state::BarrierState| {
                    Some(state.take(n, small, wait)?.and_then(|taken| batch(taken, &types)))
                };
                barrier.0.attempt(&ctx.step.cancellation, Box::new(attempt), done);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{OpTester, bare_step, strings, tensor};
    use ferroflow_graph::kernel::{StepContext, Variable};
    use ferroflow_tensor::PartialShape;
    use ferroflow_tensor::error::cancelled;
    use ferroflow_tensor::{Code, DType, Result, Tensor};
    use std::sync::{Arc, mpsc};

    struct Setup {
        step: Arc<StepContext>,
        handle: Arc<Variable>,
    }

    fn setup() -> Setup {
        let step = bare_step(1);
        let made = OpTester::named("Barrier")
            .attr("component_types", vec![DType::Float, DType::Int32])
            .attr("shapes", vec![PartialShape::scalar(); 2])
            .attr("shared_name", "b");
        let names = made.step(&step).run_one().unwrap();
        let handle = Variable::new("b", DType::String);
        handle.set(names);
        Setup { step, handle: Arc::new(handle) }
    }

    impl Setup {
        fn op(&self, name: &str) -> OpTester {
            OpTester::named(name).input_ref(self.handle.clone()).step(&self.step)
        }

        fn put(&self, keys: &[&str], values: Tensor, component: i64) -> Result<Vec<Tensor>> {
            let keys = strings(&[keys.len() as i64], keys);
            self.op("BarrierInsertMany").input(keys).input(values).attr("component_index", component).run()
        }

        fn take(&self, n: i32) -> OpTester {
            self.op("BarrierTakeMany").input(Tensor::scalar(n)).attr("component_types", vec![DType::Float, DType::Int32])
        }

        fn size(&self, op: &str) -> i32 {
            self.op(op).run_one().unwrap().to_scalar().unwrap()
        }
    }

    #[test]
    fn components_without_elements_are_refused() {
        let s = setup();
        let e = s.put(&["a", "b"], tensor(&[2, 0], &[] as &[f32]), 0).unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
        assert!(e.bare_message().starts_with("Tensors with no elements are not supported"), "{e}");
        assert!(e.bare_message().ends_with("received shape [2,0]"), "{e}");
        s.put(&[], tensor(&[0], &[] as &[f32]), 0).unwrap();
    }

    #[test]
    fn tuples_are_ready_when_they_are_complete_and_leave_in_the_order_of_their_keys() {
        let s = setup();
        s.put(&["b", "a"], tensor(&[2], &[1f32, 2.0]), 0).unwrap();
        assert_eq!((s.size("BarrierReadySize"), s.size("BarrierIncompleteSize")), (0, 2));
        s.put(&["a"], tensor(&[1], &[20i32]), 1).unwrap();
        s.put(&["b"], tensor(&[1], &[10i32]), 1).unwrap();
        assert_eq!((s.size("BarrierReadySize"), s.size("BarrierIncompleteSize")), (2, 0));
        let out = s.take(2).run().unwrap();
        assert_eq!(out[0].as_slice::<i64>().unwrap(), [i64::MIN; 2]);
        assert_eq!(out[1].as_strings().unwrap(), ["a", "b"]);
        assert_eq!(out[2].as_slice::<f32>().unwrap(), [2.0, 1.0]);
        assert_eq!(out[3].as_slice::<i32>().unwrap(), [20, 10]);
        // Keys that came before leave before, whichever is complete first.
        s.put(&["x"], tensor(&[1], &[1f32]), 0).unwrap();
        s.put(&["y"], tensor(&[1], &[2f32]), 0).unwrap();
        s.put(&["y", "x"], tensor(&[2], &[20i32, 10]), 1).unwrap();
        let out = s.take(2).run().unwrap();
        assert_eq!(out[0].as_slice::<i64>().unwrap(), [i64::MIN + 1, i64::MIN + 2]);
        assert_eq!(out[1].as_strings().unwrap(), ["x", "y"]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let s = setup();
        s.put(&["a"], tensor(&[1], &[1f32]), 0).unwrap();
        for (keys, values, component) in [
            (&["a"][..], tensor(&[1], &[1f32]), 0i64),
            (&["x"], tensor(&[1], &[1i32]), 0),
            (&["x"], tensor(&[1], &[1f32]), 2),
            (&["x"], tensor(&[2], &[1f32, 2.0]), 0),
            (&["x"], Tensor::scalar(1f32), 0),
        ] {
            assert_eq!(s.put(keys, values, component).unwrap_err().code(), Code::InvalidArgument);
        }
        for (types, shapes) in [
            (vec![DType::Float, DType::Float], vec![PartialShape::scalar(); 2]),
            (vec![DType::Float, DType::Int32], vec![PartialShape::new(&[Some(2)]), PartialShape::scalar()]),
            (vec![DType::Float, DType::Int32], vec![]),
        ] {
            let other = OpTester::named("Barrier").attr("component_types", types).attr("shapes", shapes).attr("shared_name", "b");
            assert_eq!(other.step(&s.step).run().unwrap_err().code(), Code::InvalidArgument);
        }
        let limited = OpTester::named("Barrier").attr("component_types", vec![DType::Float]).attr("capacity", 3i64).run();
        assert_eq!(limited.unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn a_closed_barrier_gives_what_is_left() {
        let s = setup();
        s.put(&["a", "b"], tensor(&[2], &[1f32, 2.0]), 0).unwrap();
        s.put(&["a"], tensor(&[1], &[20i32]), 1).unwrap();
        s.op("BarrierClose").run().unwrap();
        assert_eq!(s.put(&["c"], tensor(&[1], &[1f32]), 0).unwrap_err().code(), Code::Cancelled);
        assert_eq!(s.take(3).run().unwrap_err().code(), Code::OutOfRange);
        assert_eq!(s.take(3).attr("allow_small_batch", true).run().unwrap()[0].num_elements(), 1);
        assert_eq!(s.take(1).attr("allow_small_batch", true).run().unwrap_err().code(), Code::OutOfRange);
        assert_eq!(s.op("BarrierClose").run().unwrap_err().code(), Code::Cancelled);
        s.put(&["b"], tensor(&[1], &[10i32]), 1).unwrap();
        assert_eq!(s.take(1).run().unwrap()[3].as_slice::<i32>().unwrap(), [10]);
        s.op("BarrierClose").attr("cancel_pending_enqueues", true).run().unwrap();
    }

    #[test]
    fn taking_waits_and_can_be_cancelled() {
        let s = setup();
        let (send, results) = mpsc::channel();
        let start = || {
            let (node, inputs) = s.take(1).build().unwrap();
            let send = send.clone();
            std::thread::spawn(move || send.send(node.run(inputs).map(drop)).unwrap());
        };
        start();
        s.put(&["a"], tensor(&[1], &[1f32]), 0).unwrap();
        s.put(&["a"], tensor(&[1], &[1i32]), 1).unwrap();
        results.recv().unwrap().unwrap();
        start();
        s.step.cancellation.cancel(cancelled("the client is gone"));
        assert_eq!(results.recv().unwrap().unwrap_err().code(), Code::Cancelled);
    }
}
