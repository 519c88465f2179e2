//! `BatchNormWithGlobalNormalizationGrad`: the gradient of `BatchNormWithGlobalNormalization`.

use super::batch_norm::{doubles, stored};
use super::batch_norm_with_global_normalization::{Given, TYPES};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchNormWithGlobalNormalizationGrad(t: T, m: T, v: T, gamma: T, backprop: T) -> (dx: T, dm: T, dv: T, db: T, dg: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; variance_epsilon: float; scale_after_normalization: bool",
    doc: "The gradients of the images, means, variances, offsets and factors, from that of the result.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", TYPES)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let given = Given::of(ctx, 3)?;
    let (x, dy, n) = (ctx.input(0)?, ctx.input(4)?, given.depth);
    if dy.shape() != x.shape() {
        return Err(invalid_argument(format!("backprop must have the shape of t, {}, got {}", x.shape(), dy.shape())));
    }
    let dys = doubles(dy)?;
    let (mut total, mut along) = (vec![0.0; n], vec![0.0; n]);
    for (i, (x, dy)) in given.x.iter().zip(&dys).enumerate() {
        total[i % n] += dy;
        along[i % n] += dy * (x - given.mean[i % n]);
    }
    let (inverse, scale) = (&given.inverse, &given.scale);
    let vector = |f: &dyn Fn(usize) -> f64| stored(x.dtype(), Shape::from_lens(&[n])?, (0..n).map(f));
    let outputs = [
        stored(x.dtype(), x.shape().clone(), dys.iter().enumerate().map(|(i, dy)| dy * scale[i % n] * inverse[i % n]))?,
        vector(&|c| -total[c] * scale[c] * inverse[c])?,
        vector(&|c| -0.5 * along[c] * scale[c] * inverse[c].powi(3))?,
        vector(&|c| total[c])?,
        vector(&|c| if given.is_scaled { along[c] * inverse[c] } else { 0.0 })?,
    ];
    for (i, output) in outputs.into_iter().enumerate() {
        ctx.set_output(i, output);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 4)?;
    let vector = PartialShape::new(&[x.dim(3)]);
    c.set_output(0, x);
    for i in 1..5 {
        c.set_output(i, vector.clone());
    }
    Ok(())
}
