//! `StatelessParameterizedTruncatedNormal`: normal numbers between bounds, from a seed, with a distribution for each place.

use super::shape_argument::{requested_shape, seeded, with_seed_pair};
use super::truncated::{Truncated, wide};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessParameterizedTruncatedNormal(shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype) -> (output: dtype)",
    attrs: "S: type in {int32, int64}; Tseed: type in {int32, int64} = int64; dtype: type in {half, float, double}",
    doc: "Numbers of the requested shape, whose last dimensions are those of the parameters, from normal distributions with these means and deviations, between these bounds.",
    shape: with_seed_pair,
    kernels: &[Kernel::cpu(compute).on("dtype", &[DType::Half, DType::Float, DType::Double])],
    tolerance: Tolerance::Within(1e-3),
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let shape = requested_shape(ctx, 0)?;
    let mut generator = seeded(ctx, 1)?;
    let mut of = Shape::scalar();
    for i in 2..6 {
        of = Shape::broadcast(&of, ctx.input(i)?.shape())
            .map_err(|_| invalid_argument("means, stddevs, minvals, maxvals must have compatible batch dimensions"))?;
    }
    if !shape.dims().ends_with(of.dims()) {
        return Err(invalid_argument("Shape passed in must end with broadcasted shape."));
    }
    let mut parameters = Vec::new();
    for i in 2..6 {
        parameters.push((wide(ctx.input(i)?)?, places(ctx.input(i)?.shape(), &of)));
    }
    let distributions = of.num_elements();
    let dtype = ctx.node.output_types[0].dtype;
    let y = with_float!(dtype => T, {
        Tensor::build(shape, |out: &mut [T]| {
            if out.is_empty() {
                return Ok(());
            }
            let n = out.len() / distributions;
            for k in 0..distributions {
                let [mean, deviation, low, high] = [0, 1, 2, 3].map(|i| parameters[i].0[parameters[i].1[k]]);
                let put = |i: usize, x: f64| out[i * distributions + k] = narrow(x);
                Truncated { mean, deviation, low, high }.fill::<T>(&mut generator, put, n)?;
            }
            Ok(())
        })?
    }, else { return Err(unsupported("StatelessParameterizedTruncatedNormal", dtype)) });
    ctx.set_output(0, y);
    Ok(())
}

/// Which element of a tensor stands at each place of a shape that it is repeated to.
fn places(from: &Shape, to: &Shape) -> Vec<usize> {
    let skipped = to.rank() - from.rank();
    let place = |mut k: usize| {
        let (mut at, mut stride) = (0, 1);
        for axis in (0..to.rank()).rev() {
            let index = k % to.dim(axis);
            k /= to.dim(axis);
            if axis >= skipped && from.dim(axis - skipped) > 1 {
                at += index * stride;
            }
            if axis >= skipped {
                stride *= from.dim(axis - skipped);
            }
        }
        at
    };
    (0..to.num_elements()).map(place).collect()
}

fn narrow<T: Element>(x: f64) -> T
where
    f64: AsPrimitive<T>,
{
    x.as_()
}
