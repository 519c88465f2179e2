//! Batch normalisation and its gradient (TF: `FusedBatchNorm`, `FusedBatchNormFreezeGrad`). Statistics are summed in double.

use super::channels::{Channels, channel_axis};
use crate::prelude::*;
use ferroflow_math::{Floating, Real};
use num_traits::AsPrimitive;

/// Images seen from their channels, and what the attributes say.
struct Setting {
    channels: Channels,
    epsilon: f64,
    training: bool,
}

fn setting(ctx: &OpKernelContext, x: &Shape) -> Result<Setting> {
    let attrs = &ctx.node.attrs;
    if !matches!(x.rank(), 4 | 5) {
        return Err(invalid_argument(format!("input must be 4 or 5-dimensional{x}")));
    }
    let axis = channel_axis(x.rank(), attrs.str("data_format")?.starts_with("NC"));
    let product = |range: std::ops::Range<usize>| range.map(|i| x.dim(i)).product();
    let channels = Channels { outer: product(0..axis), channels: x.dim(axis), inner: product(axis + 1..x.rank()) };
    Ok(Setting { channels, epsilon: f64::from(attrs.float("epsilon")?), training: attrs.bool("is_training")? })
}

/// The vector at input `i` in double; it has one element for each channel, or none where `optional`.
fn vector(ctx: &OpKernelContext, i: usize, name: &str, channels: usize, optional: bool) -> Result<Vec<f64>> {
    let t = ctx.input(i)?;
    if t.rank() != 1 {
        return Err(invalid_argument(format!("{name} must be 1-dimensional{}", t.shape())));
    }
    let n = t.num_elements();
    if n != channels && !(optional && n == 0) {
        return Err(invalid_argument(format!("{name} must have the same number of elements as the channels of x, got {n} and {channels}")));
    }
    doubles(t)
}

/// The elements in double.
///
/// Errors: `Unimplemented` for types that are no floats.
pub(super) fn doubles(t: &Tensor) -> Result<Vec<f64>> {
    with_float!(t.dtype() => T, {
        Ok(t.as_slice::<T>()?.iter().map(|x| x.widen().as_()).collect())
    }, else { Err(unsupported("batch normalisation", t.dtype())) })
}

/// A tensor of this type with these elements, rounded.
///
/// Errors: `Unimplemented` for types that are no floats.
pub(super) fn stored(dtype: DType, shape: Shape, values: impl IntoIterator<Item = f64>) -> Result<Tensor> {
    let mut t = Tensor::zeros(dtype, shape)?;
    with_float!(dtype => T, {
        t.as_mut_slice::<T>()?.iter_mut().zip(values).for_each(|(t, v)| *t = T::narrow(Real::of(v)));
    }, else { return Err(unsupported("batch normalisation", dtype)) });
    Ok(t)
}

/// Sums `f(element index, channel)` for each channel.
fn sums(c: Channels, f: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; c.channels];
    for outer in 0..c.outer {
        for (channel, sum) in sums.iter_mut().enumerate() {
            let start = (outer * c.channels + channel) * c.inner;
            *sum += (start..start + c.inner).map(|i| f(i, channel)).sum::<f64>();
        }
    }
    sums
}

/// Which channel element `i` belongs to.
fn channel_of(c: Channels, i: usize) -> usize {
    i / c.inner.max(1) % c.channels.max(1)
}

/// y = (x - mean) / sqrt(variance + epsilon) scale + offset for each channel, with the statistics of x itself in training, else those of
/// inputs 3 and 4. Further outputs: mean, variance, and both again for the gradient.
///
/// Errors: `InvalidArgument` for vectors that do not have one element for each channel.
pub(crate) fn normalise(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let Setting { channels: c, epsilon, training } = setting(ctx, x.shape())?;
    let n = c.channels;
    let (scale, offset) = (vector(ctx, 1, "scale", n, false)?, vector(ctx, 2, "offset", n, false)?);
    let factor = f64::from(ctx.node.attrs.float("exponential_avg_factor")?);
    let optional = training && factor == 1.0;
    let (old_mean, old_variance) = (vector(ctx, 3, "estimated_mean", n, training)?, vector(ctx, 4, "estimated_variance", n, training)?);
    if !optional && training && old_mean.len() + old_variance.len() != 2 * n {
        return Err(invalid_argument("estimated_mean and estimated_variance must have as many elements as x has channels"));
    }
    let values = doubles(x)?;
    let count = (c.outer * c.inner) as f64;
    let (mean, variance) = if training {
        let mean: Vec<f64> = sums(c, |i, _| values[i]).into_iter().map(|s| if count > 0.0 { s / count } else { f64::NAN }).collect();
        let variance = sums(c, |i, ch| (values[i] - mean[ch]).powi(2));
        (mean, variance.into_iter().map(|s| if count > 0.0 { s / count } else { f64::NAN }).collect())
    } else {
        (old_mean.clone(), old_variance.clone())
    };
    let factors: Vec<f64> = variance.iter().zip(&scale).map(|(v, s)| s / (v + epsilon).sqrt()).collect();
    let y = stored(
        x.dtype(),
        x.shape().clone(),
        values.iter().enumerate().map(|(i, x)| {
            let ch = channel_of(c, i);
            (x - mean[ch]) * factors[ch] + offset[ch]
        }),
    )?;
    let kind = ctx.node.output_types[1].dtype;
    let vector_of = |values: &[f64]| stored(kind, Shape::from_lens(&[n])?, values.iter().copied());
    // What is kept for inference: the variance of the whole is estimated from a sample, and may be averaged with older ones.
    let unbiased = if count > 1.0 { count / (count - 1.0) } else { 1.0 };
    let average = |old: &[f64], new: f64, i: usize| {
        if factor == 1.0 { new } else { old.get(i).copied().unwrap_or(0.0) * (1.0 - factor) + new * factor }
    };
    let (kept_mean, kept_variance): (Vec<f64>, Vec<f64>) = if training {
        let means = mean.iter().enumerate().map(|(i, &m)| average(&old_mean, m, i)).collect();
        (means, variance.iter().enumerate().map(|(i, &v)| average(&old_variance, v * unbiased, i)).collect())
    } else {
        (mean.clone(), variance.clone())
    };
    let outputs = [vector_of(&kept_mean)?, vector_of(&kept_variance)?, vector_of(&mean)?, vector_of(&variance)?];
    ctx.set_output(0, y);
    for (i, output) in outputs.into_iter().enumerate() {
        ctx.set_output(i + 1, output);
    }
    if ctx.node.output_types.len() > 5 {
        ctx.set_output(5, Tensor::zeros(kind, Shape::scalar())?);
    }
    Ok(())
}

/// The gradients of [`normalise`] by x, scale and offset, from that of y; inputs 3 and 4 are mean and variance.
///
/// Errors: `InvalidArgument` for shapes that do not fit.
pub(crate) fn normalise_grad(ctx: &mut OpKernelContext) -> Result<()> {
    let (dy, x) = (ctx.input(0)?, ctx.input(1)?);
    let Setting { channels: c, epsilon, training } = setting(ctx, x.shape())?;
    if dy.shape() != x.shape() {
        return Err(invalid_argument(format!(
            "x and y_backprop must have same shape, but x has shape {} and y_backprop has shape {}",
            x.shape(),
            dy.shape()
        )));
    }
    let n = c.channels;
    let scale = vector(ctx, 2, "scale", n, false)?;
    let (mean, variance) = (vector(ctx, 3, "reserve_space_1", n, false)?, vector(ctx, 4, "reserve_space_2", n, false)?);
    let (dys, xs) = (doubles(dy)?, doubles(x)?);
    let count = (c.outer * c.inner) as f64;
    let total = sums(c, |i, _| dys[i]);
    let along = sums(c, |i, ch| dys[i] * (xs[i] - mean[ch]));
    let inverse: Vec<f64> = variance.iter().map(|v| 1.0 / (v + epsilon).sqrt()).collect();
    let dx = stored(
        x.dtype(),
        x.shape().clone(),
        (0..xs.len()).map(|i| {
            let ch = channel_of(c, i);
            let centred = if training {
                dys[i] - total[ch] / count - (xs[i] - mean[ch]) * along[ch] / count * inverse[ch] * inverse[ch]
            } else {
                dys[i]
            };
            scale[ch] * inverse[ch] * centred
        }),
    )?;
    let kind = ctx.node.output_types[1].dtype;
    let shape = Shape::from_lens(&[n])?;
    let dscale = stored(kind, shape.clone(), along.iter().zip(&inverse).map(|(a, i)| a * i))?;
    let doffset = stored(kind, shape, total)?;
    ctx.set_output(0, dx);
    ctx.set_output(1, dscale);
    ctx.set_output(2, doffset);
    for i in 3..ctx.node.output_types.len() {
        ctx.set_output(i, Tensor::zeros(kind, Shape::from_lens(&[0])?)?);
    }
    Ok(())
}

fn channel_vector(c: &ShapeContext, x: &PartialShape) -> Result<PartialShape> {
    let axis = match x.rank() {
        Some(rank) => channel_axis(rank, c.node().attrs.str("data_format")?.starts_with("NC")),
        None => return Ok(PartialShape::of_rank(1)),
    };
    Ok(PartialShape::new(&[x.dim(axis)]))
}

/// The shapes that [`normalise`] makes.
///
/// Errors: `InvalidArgument` for vectors of another rank.
pub(crate) fn normalise_shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank_at_least(0, 4)?;
    let vector = channel_vector(c, &x)?.merge(&c.with_rank(1, 1)?)?.merge(&c.with_rank(2, 1)?)?;
    c.set_output(0, x);
    (1..5).for_each(|i| c.set_output(i, vector.clone()));
    if c.node().output_types.len() > 5 {
        c.set_output(5, PartialShape::scalar());
    }
    Ok(())
}

/// The shapes that [`normalise_grad`] makes.
///
/// Errors: `InvalidArgument` for shapes that contradict each other.
pub(crate) fn normalise_grad_shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank_at_least(0, 4)?.merge(&c.with_rank_at_least(1, 4)?)?;
    let vector = channel_vector(c, &x)?.merge(&c.with_rank(2, 1)?)?;
    c.set_output(0, x);
    (1..3).for_each(|i| c.set_output(i, vector.clone()));
    let nothing = PartialShape::new(&[Some(0)]);
    (3..5).for_each(|i| c.set_output(i, nothing.clone()));
    Ok(())
}

/// The gradient of batch normalisation, by the op of that name.
///
/// Errors: none for such an op.
pub(crate) fn normalise_gradient(op: &Operation, grads: &OutGrads, grad_op: &str) -> Result<Vec<Option<Grad>>> {
    let (epsilon, format, training) = op
        .with_attrs(|a| Ok::<_, ferroflow_tensor::Error>((a.float("epsilon")?, a.bytes("data_format")?.clone(), a.bool("is_training")?)))?;
    let dy = grads.dense(0);
    // In training the statistics are those of the batch, else those that were given.
    let statistics = if training { [op.output(3), op.output(4)] } else { [op.input(3), op.input(4)] };
    let scale = op.input(1);
    let scale = if scale.dtype() == DType::Float { scale } else { op.graph().op("Cast").input(scale).attr("DstT", DType::Float).output() };
    let mut node = op.graph().op(grad_op).inputs([dy, op.input(0), scale]).inputs(statistics);
    if grad_op.ends_with("V3") {
        node = node.input(op.output(5));
    }
    let all = node.attr("epsilon", epsilon).attr("data_format", format).attr("is_training", training).build();
    Ok(vec![Some(all.output(0).into()), Some(all.output(1).into()), Some(all.output(2).into()), None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Tensor {
        tensor(&[2, 1, 2, 2], &[1f32, 10.0, 2.0, 30.0, 3.0, 20.0, 6.0, -5.0])
    }

    fn run(op: &str, inputs: Vec<Tensor>, training: bool) -> Vec<Tensor> {
        let tester = inputs.into_iter().fold(OpTester::named(op), |tester, input| tester.input(input));
        tester.attr("is_training", training).attr("epsilon", 0.1f32).attr("U", DType::Float).run().unwrap()
    }

    fn ones(n: i64, value: f32) -> Tensor {
        tensor(&[n], &vec![value; n as usize])
    }

    #[test]
    fn in_training_the_statistics_are_those_of_the_batch() {
        let out = run("FusedBatchNormV2", vec![x(), ones(2, 1.0), ones(2, 0.5), ones(0, 0.0), ones(0, 0.0)], true);
        assert_eq!(out[1].as_slice::<f32>().unwrap(), [3.0, 13.75]);
        let mean = out[0].as_slice::<f32>().unwrap().iter().step_by(2).sum::<f32>() / 4.0;
        assert!((mean - 0.5).abs() < 1e-6);
    }

    /// Against differences of the weighted sum of the results, in float.
    #[test]
    fn gradients_agree_with_differences() {
        let dy = tensor(&[2, 1, 2, 2], &[1f32, -1.0, 0.5, 2.0, -0.7, 0.3, 0.2, 1.5]);
        for training in [true, false] {
            let given = |v: f32| if training { ones(0, 0.0) } else { ones(2, v) };
            let forward = |x: Tensor| run("FusedBatchNormV2", vec![x, ones(2, 1.3), ones(2, 0.5), given(2.0), given(3.0)], training);
            let loss = |x: Tensor| -> f64 {
                let y = forward(x).remove(0);
                y.as_slice::<f32>().unwrap().iter().zip(dy.as_slice::<f32>().unwrap()).map(|(y, d)| f64::from(y * d)).sum()
            };
            let out = forward(x());
            let statistics = if training { [out[3].clone(), out[4].clone()] } else { [ones(2, 2.0), ones(2, 3.0)] };
            let [mean, variance] = statistics;
            let grads = run("FusedBatchNormGradV2", vec![dy.clone(), x(), ones(2, 1.3), mean, variance], training);
            for (i, &got) in grads[0].as_slice::<f32>().unwrap().iter().enumerate() {
                let moved = |by: f32| {
                    let mut x = x();
                    x.make_mut::<f32>().unwrap()[i] += by;
                    loss(x)
                };
                let expected = (moved(0.05) - moved(-0.05)) / 0.1;
                assert!((f64::from(got) - expected).abs() < 2e-3, "{training} {i}: {got} {expected}");
            }
        }
    }
}
