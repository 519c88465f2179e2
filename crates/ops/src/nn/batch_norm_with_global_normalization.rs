//! `BatchNormWithGlobalNormalization`: batch normalisation with given statistics, as old graphs have it.

use super::batch_norm::{doubles, stored};
use crate::prelude::*;

/// What TensorFlow has kernels for.
pub(super) const TYPES: &[DType] = &[DType::Half, DType::Float, DType::Double];

pub const OP: OpSpec = OpSpec {
    signature: "BatchNormWithGlobalNormalization(t: T, m: T, v: T, beta: T, gamma: T) -> (result: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; variance_epsilon: float; scale_after_normalization: bool",
    doc: "result = (t - m) / sqrt(v + variance_epsilon) gamma + beta for each channel, the last dimension; without gamma unless scale_after_normalization.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", TYPES)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// What the op and its gradient read: images, three vectors with an element for each channel, and the attributes.
pub(super) struct Given {
    pub(super) x: Vec<f64>,
    pub(super) depth: usize,
    pub(super) mean: Vec<f64>,
    /// 1 / sqrt(v + epsilon)
    pub(super) inverse: Vec<f64>,
    /// gamma, or ones.
    pub(super) scale: Vec<f64>,
    pub(super) is_scaled: bool,
}

/// The vector at input `i`, of as many elements as there are channels.
fn channels(ctx: &OpKernelContext, i: usize, depth: usize) -> Result<Vec<f64>> {
    let t = ctx.input(i)?;
    if t.dims() != [depth as i64] {
        let name = &ctx.node.op.def.inputs[i].name;
        return Err(invalid_argument(format!(
            "{name} must be 1-dimensional with an element for each of {depth} channels, got {}",
            t.shape()
        )));
    }
    doubles(t)
}

impl Given {
    /// The inputs of a node; gamma is input `gamma`.
    ///
    /// Errors: `InvalidArgument` for shapes that do not fit.
    pub(super) fn of(ctx: &OpKernelContext, gamma: usize) -> Result<Given> {
        let x = ctx.input(0)?;
        if x.rank() != 4 {
            return Err(invalid_argument(format!("input must be 4-dimensional{}", x.shape())));
        }
        let depth = x.shape().dim(3);
        let epsilon = f64::from(ctx.node.attrs.float("variance_epsilon")?);
        let is_scaled = ctx.node.attrs.bool("scale_after_normalization")?;
        let scale = channels(ctx, gamma, depth)?;
        Ok(Given {
            x: doubles(x)?,
            depth,
            mean: channels(ctx, 1, depth)?,
            inverse: channels(ctx, 2, depth)?.into_iter().map(|v| 1.0 / (v + epsilon).sqrt()).collect(),
            scale: if is_scaled { scale } else { vec![1.0; depth] },
            is_scaled,
        })
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let given = Given::of(ctx, 4)?;
    let beta = channels(ctx, 3, given.depth)?;
    let x = ctx.input(0)?;
    let values = given.x.iter().enumerate().map(|(i, x)| {
        let c = i % given.depth;
        (x - given.mean[c]) * given.inverse[c] * given.scale[c] + beta[c]
    });
    let y = stored(x.dtype(), x.shape().clone(), values)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of images whose channels fit the vectors behind them.
fn shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 4)?;
    for i in 1..5 {
        let n = c.with_rank(i, 1)?.dim(0);
        if let (Some(n), Some(depth)) = (n, x.dim(3))
            && n != depth
        {
            return Err(invalid_argument(format!("Dimensions must be equal, but are {depth} and {n}")));
        }
    }
    c.set_output(0, x);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (epsilon, scaled) =
        op.with_attrs(|a| Ok::<_, ferroflow_tensor::Error>((a.float("variance_epsilon")?, a.bool("scale_after_normalization")?)))?;
    let node = op
        .graph()
        .op("BatchNormWithGlobalNormalizationGrad")
        .inputs([op.input(0), op.input(1), op.input(2), op.input(4), grads.dense(0)])
        .attr("variance_epsilon", epsilon)
        .attr("scale_after_normalization", scaled)
        .build();
    Ok((0..5).map(|i| Some(node.output(i).into())).collect())
}
