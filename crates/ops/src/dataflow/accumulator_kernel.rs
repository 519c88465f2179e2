//! The kernels of the accumulator ops, for both kinds of handles.

use super::accumulator::{Accumulator, AccumulatorSpec, Gradient};
use super::resource_handle::{self, object};
use super::sparse_gradient::SparseGradient;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Tensor};
use std::sync::Arc;

/// The kernel of an op that makes an accumulator.
///
/// Errors: `InvalidArgument` for attributes that are missing or names that TF does not allow.
pub(super) fn make(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    spec(c.node)?;
    resource_handle::build(c, Accumulator::TYPE_NAME, |node, name| Ok(Accumulator::new(name, spec(node)?)), check)
}

fn spec(node: &NodeInfo) -> Result<AccumulatorSpec> {
    Ok(AccumulatorSpec {
        dtype: node.attrs.dtype("dtype")?,
        shape: node.attrs.shape("shape")?.clone(),
        is_mean: node.attrs.str("reduction_type")? == "MEAN",
        is_sparse: node.op_name() == "SparseConditionalAccumulator",
    })
}

fn check(accumulator: &Accumulator, node: &NodeInfo) -> Result<()> {
    let (have, want) = (accumulator.spec(), spec(node)?);
    if *have == want {
        return Ok(());
    }
    Err(invalid_argument(format!("Shared accumulator '{}' is {have:?} but node {} requested {want:?}", accumulator.name(), node.name)))
}

/// The kernel of `AccumulatorApplyGradient`.
///
/// Errors: `NotFound` for an unknown accumulator; `InvalidArgument` for a gradient that does not fit.
pub(super) fn apply(ctx: &mut OpKernelContext) -> Result<()> {
    let accumulator = accumulator(ctx)?;
    let local_step = ctx.scalar::<i64>(1, "Argument local_step")?;
    let gradient = ctx.take_input(2)?;
    accumulator.apply(local_step, Gradient::Dense(gradient))
}

/// The kernel of `SparseAccumulatorApplyGradient`.
///
/// Errors: as [`apply`].
pub(super) fn apply_sparse(ctx: &mut OpKernelContext) -> Result<()> {
    let accumulator = accumulator(ctx)?;
    let local_step = ctx.scalar::<i64>(1, "Argument local_step")?;
    let (indices, values) = (ctx.take_input(2)?, ctx.take_input(3)?);
    let shape = if ctx.node.attrs.bool("has_known_shape")? { Some(ctx.take_input(4)?) } else { None };
    accumulator.apply(local_step, Gradient::Sparse(SparseGradient { indices, values, shape }))
}

/// The kernel of `AccumulatorNumAccumulated`.
///
/// Errors: `NotFound` for an unknown accumulator.
pub(super) fn num_accumulated(ctx: &mut OpKernelContext) -> Result<()> {
    let count = accumulator(ctx)?.count();
    ctx.set_output(0, Tensor::scalar(i32::try_from(count).unwrap_or(i32::MAX)));
    Ok(())
}

/// The kernel of `AccumulatorSetGlobalStep`.
///
/// Errors: `NotFound` for an unknown accumulator; `InvalidArgument` if the step is no scalar.
pub(super) fn set_global_step(ctx: &mut OpKernelContext) -> Result<()> {
    let step = ctx.scalar::<i64>(1, "Argument new_global_step")?;
    accumulator(ctx)?.set_global_step(step);
    Ok(())
}

fn accumulator(ctx: &OpKernelContext) -> Result<Arc<Accumulator>> {
    object(ctx.resources(), ctx.value(0)?)
}

struct TakeGradient;

/// The kernel of `AccumulatorTakeGradient` and of the sparse form.
///
/// Errors: none.
pub(super) fn take(_: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    Ok(Box::new(TakeGradient))
}

impl AsyncOpKernel for TakeGradient {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let started = || -> Result<(Arc<Accumulator>, i32)> {
            let handle = ctx.inputs.first().ok_or_else(|| invalid_argument("the accumulator's handle is missing"))?;
            let accumulator: Arc<Accumulator> = object(&ctx.step.resources, handle)?;
            let dtype = ctx.node.attrs.dtype("dtype")?;
            let is_sparse = ctx.node.output_types.len() == 3;
            if (accumulator.spec().dtype, accumulator.spec().is_sparse) != (dtype, is_sparse) {
                return Err(invalid_argument(format!(
                    "accumulator '{}' is {:?}, but {} asks for {dtype}",
                    accumulator.name(),
                    accumulator.spec(),
                    ctx.node.op_name()
                )));
            }
            let required = ctx.input(1)?;
            if required.rank() != 0 {
                return Err(invalid_argument(format!("Argument num_required must be scalar, got shape {}", required.shape())));
            }
            Ok((accumulator, required.to_scalar()?))
        };
        match started() {
            Ok((accumulator, required)) => accumulator.take(required, &ctx.step.cancellation, done),
            Err(e) => done(Err(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::{StepContext, Value};
    use ferroflow_tensor::error::cancelled;
    use ferroflow_tensor::{Code, DType, PartialShape};
    use std::sync::mpsc;

    fn make(step: &Arc<StepContext>, dims: Option<&[Option<i64>]>, reduction: &str) -> Tensor {
        OpTester::named("ResourceConditionalAccumulator")
            .attr("dtype", DType::Float)
            .attr("shape", dims.map_or_else(PartialShape::unknown, PartialShape::new))
            .attr("reduction_type", reduction)
            .attr("shared_name", "a")
            .step(step)
            .run_one()
            .unwrap()
    }

    fn apply(step: &Arc<StepContext>, handle: &Tensor, local_step: i64, gradient: Tensor) -> Result<Vec<Tensor>> {
        let tester = OpTester::named("ResourceAccumulatorApplyGradient").input(handle.clone());
        tester.input(Tensor::scalar(local_step)).input(gradient).step(step).run()
    }

    fn taking(step: &Arc<StepContext>, handle: &Tensor, required: i32) -> OpTester {
        let tester = OpTester::named("ResourceAccumulatorTakeGradient").input(handle.clone());
        tester.input(Tensor::scalar(required)).attr("dtype", DType::Float).step(step)
    }

    #[test]
    fn the_mean_is_over_all_gradients_that_came() {
        let step = bare_step(1);
        let a = make(&step, Some(&[Some(2)]), "MEAN");
        for k in 1..=3 {
            apply(&step, &a, 0, tensor(&[2], &[k as f32, 0.0])).unwrap();
        }
        assert_eq!(taking(&step, &a, 2).run_one().unwrap().as_slice::<f32>().unwrap(), [2.0, 0.0]);
        apply(&step, &a, 0, tensor(&[2], &[9f32, 9.0])).unwrap();
        let count = OpTester::named("ResourceAccumulatorNumAccumulated").input(a.clone()).step(&step).run_one().unwrap();
        assert_eq!(count.to_scalar::<i32>().unwrap(), 0, "a gradient of the step before is stale after a take");
        apply(&step, &a, 1, tensor(&[2], &[4f32, 4.0])).unwrap();
        assert_eq!(taking(&step, &a, 1).run_one().unwrap().as_slice::<f32>().unwrap(), [4.0, 4.0]);
    }

    #[test]
    fn a_sum_is_not_divided_and_the_callers_gradient_stays_whole() {
        let step = bare_step(1);
        let a = make(&step, None, "SUM");
        let first = tensor(&[1], &[1f32]);
        apply(&step, &a, 0, first.clone()).unwrap();
        apply(&step, &a, 0, tensor(&[1], &[2f32])).unwrap();
        assert_eq!(taking(&step, &a, 1).run_one().unwrap().as_slice::<f32>().unwrap(), [3.0]);
        assert_eq!(first.as_slice::<f32>().unwrap(), [1.0]);
    }

    #[test]
    fn shapes_and_arguments_are_checked() {
        let step = bare_step(1);
        let a = make(&step, Some(&[Some(2)]), "MEAN");
        let error = apply(&step, &a, 0, tensor(&[3], &[0f32; 3])).unwrap_err();
        assert_eq!(error.bare_message(), "Shape mismatch: expected [2], got [3]");
        assert_eq!(apply(&step, &a, 0, tensor(&[2], &[0f64; 2])).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(taking(&step, &a, 0).run().unwrap_err().bare_message(), "Argument num_required must be positive, but was 0");
        let other = OpTester::named("ResourceConditionalAccumulator").attr("dtype", DType::Double).attr("shape", PartialShape::unknown());
        assert_eq!(other.attr("shared_name", "a").step(&step).run().unwrap_err().code(), Code::InvalidArgument);
        let error = taking(&step, &a, 1).attr("dtype", DType::Double).run().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }

    #[test]
    fn the_first_gradient_fixes_an_unknown_shape_until_the_next_take() {
        let step = bare_step(1);
        let a = make(&step, None, "MEAN");
        apply(&step, &a, 0, tensor(&[2], &[0f32; 2])).unwrap();
        assert!(apply(&step, &a, 0, tensor(&[1], &[0f32])).is_err());
        taking(&step, &a, 1).run().unwrap();
        assert!(apply(&step, &a, 1, tensor(&[1], &[0f32])).is_ok());
    }

    #[test]
    fn a_waiting_taker_is_served_or_cancelled() {
        let step = bare_step(1);
        let a = make(&step, None, "MEAN");
        let accumulator: Arc<Accumulator> = object(&step.resources, &Value::Tensor(a.clone())).unwrap();
        let (sender, receiver) = mpsc::channel();
        let other = bare_step(1);
        let cancelled_sender = sender.clone();
        accumulator.take(1, &other.cancellation, Box::new(move |r| drop(cancelled_sender.send(r))));
        accumulator.take(2, &step.cancellation, Box::new(move |r| drop(sender.send(r))));
        other.cancellation.cancel(cancelled("stop"));
        let Err(error) = receiver.try_recv().unwrap() else { panic!("it was cancelled") };
        assert_eq!(error.code(), Code::Cancelled);
        assert!(error.bare_message().starts_with("TakeGrad operation was cancelled: accumulator '"), "{error}");
        apply(&step, &a, 0, tensor(&[1], &[1f32])).unwrap();
        assert!(receiver.try_recv().is_err());
        apply(&step, &a, 0, tensor(&[1], &[3f32])).unwrap();
        let outputs = receiver.try_recv().unwrap().unwrap();
        assert_eq!(outputs[0].as_ref().unwrap().to_tensor().unwrap().as_slice::<f32>().unwrap(), [2.0]);
    }

    #[test]
    fn sparse_rows_are_divided_by_the_gradients_that_touched_them() {
        let step = bare_step(1);
        let handle = OpTester::named("SparseConditionalAccumulator")
            .attr("dtype", DType::Float)
            .attr("shape", PartialShape::new(&[Some(5), Some(1)]))
            .attr("shared_name", "s")
            .step(&step);
        let (node, _) = handle.build().unwrap();
        let Some(Value::Ref(handle)) = node.run(vec![]).unwrap()[0].clone() else { panic!("no handle") };
        let apply = |indices: &[i64], values: &[f32], shape: &[i64]| {
            OpTester::named("SparseAccumulatorApplyGradient")
                .input_ref(handle.clone())
                .input(Tensor::scalar(0i64))
                .input(Tensor::vector(indices).unwrap())
                .input(tensor(&[values.len() as i64, 1], values))
                .input(Tensor::vector(shape).unwrap())
                .attr("has_known_shape", true)
                .step(&step)
                .run()
        };
        apply(&[3, 1], &[3.0, 1.0], &[5, 1]).unwrap();
        apply(&[3, 3], &[2.0, 4.0], &[5, 1]).unwrap();
        let error = apply(&[7], &[1.0], &[5, 1]).unwrap_err();
        assert_eq!(error.bare_message(), "Shape mismatch: index of slice 0 exceeded limits of shape; index is 7 exceeded 5");
        for (indices, values, shape) in
            [(&[-1i64][..], &[1f32][..], &[5i64, 1][..]), (&[0, 1], &[1.0], &[5, 1]), (&[0], &[1.0], &[5]), (&[0], &[1.0], &[])]
        {
            assert_eq!(apply(indices, values, shape).unwrap_err().code(), Code::InvalidArgument);
        }
        let take = OpTester::named("SparseAccumulatorTakeGradient").input_ref(handle.clone()).input(Tensor::scalar(2i32));
        let out = take.attr("dtype", DType::Float).step(&step).run().unwrap();
        assert_eq!(out[0].as_slice::<i64>().unwrap(), [1, 3]);
        assert_eq!(out[1].as_slice::<f32>().unwrap(), [1.0, 4.5]);
        assert_eq!(out[2].as_slice::<i64>().unwrap(), [5, 1]);
    }
}
