//! `LogSoftmax`: the logarithm of the softmax over the last axis.

use crate::math::backward::apply;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::log_softmax;

pub const OP: OpSpec = OpSpec {
    signature: "LogSoftmax(logits: T) -> (logsoftmax: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "logsoftmax = logits - ln(the sum over the last axis of e^logits).",
    shape: shape::unchanged_with_rank_at_least::<1>,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let Some(&classes) = x.dims().last() else {
        return Err(invalid_argument(format!("logits must have >= 1 dimension, got {}", x.shape())));
    };
    let mut y = Tensor::for_overwrite(x.dtype(), x.shape().clone())?;
    with_float!(x.dtype() => T, {
        log_softmax::<T>(&pool(ctx.step), x.as_slice()?, y.as_mut_slice()?, classes as usize);
    }, else { return Err(unsupported("LogSoftmax", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (y, dy) = (op.output(0), grads.dense(0));
    let over_classes =
        |x: Output| op.graph().op("Sum").input(x).input(op.graph().constant_vector(&[-1i32])).attr("keep_dims", true).output();
    let dx = &dy - over_classes(dy.clone()) * apply("Exp", &[&y]);
    Ok(vec![Some(dx.into())])
}
