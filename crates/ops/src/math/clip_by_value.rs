//! `ClipByValue`: elements kept between two bounds.

use super::backward::{apply, reduced, where_false, where_true};
use super::broadcasting::plan;
use super::elementwise::refused;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{BinaryOp, Side, binary_in_place};

pub const OP: OpSpec = OpSpec {
    signature: "ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "output = min(max(t, clip_value_min), clip_value_max); the bounds are scalars or of the shape of t.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (t, low, high) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let (dtype, shape) = (t.dtype(), t.shape().clone());
    if [low, high].iter().any(|bound| bound.rank() != 0 && *bound.shape() != shape) {
        return Err(invalid_argument(format!(
            "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: {shape}\
             clip_value_min shape: {}clip_value_max shape: {}",
            low.shape(),
            high.shape()
        )));
    }
    let mut y = match ctx.forward_input(0, dtype, &shape) {
        Some(t) => t,
        None => ctx.input(0)?.deep_copy()?,
    };
    for (i, op) in [(2, BinaryOp::Minimum), (1, BinaryOp::Maximum)] {
        let bound = ctx.input(i)?;
        let (plan, _) = plan(&shape, bound.shape())?;
        with_real!(dtype => T, {
            binary_in_place::<T>(&pool(ctx.step), op, &plan, Side::Left, y.as_mut_slice()?, bound.as_slice()?).map_err(|e| refused(e, dtype))?;
        }, else { return Err(unsupported("ClipByValue", dtype)) });
    }
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, low, high, y, dy) = (op.input(0), op.input(1), op.input(2), op.output(0), grads.dense(0));
    let (below, above) = (apply("Less", &[&x, &low]), apply("Greater", &[&x, &high]));
    let inside = where_false(&apply("LogicalOr", &[&below, &above]), &dy);
    let mut lows = reduced(&x, &low, &y, inside, where_true(&below, &dy));
    let mut highs = reduced(&x, &high, &y, dy.clone(), where_true(&above, &dy));
    Ok(vec![lows.remove(0), lows.remove(0), highs.remove(1)])
}
