//! `LRNGrad`: the gradient of `LRN`.

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::Float;

pub const OP: OpSpec = OpSpec {
    signature: "LRNGrad(input_grads: T, input_image: T, output_image: T) -> (output: T)",
    attrs: "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; T: type in {half, bfloat16, float} = float",
    doc: "The gradient of `input_image`, of which `output_image` is the normalised form.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-3),
    ..WORDS
};

struct Lrn {
    radius: usize,
    bias: f64,
    alpha: f64,
    beta: f64,
}

fn backwards<T: Float + Element>(lrn: &Lrn, dy: &Tensor, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let depth = x.shape().dim(3);
    let wide = |t: &[T]| -> Vec<f64> { t.iter().map(|v| v.to_f64().unwrap_or(f64::NAN)).collect() };
    let mut out = Vec::with_capacity(x.num_elements());
    let rows = x.as_slice::<T>()?.chunks_exact(depth.max(1)).zip(y.as_slice::<T>()?.chunks_exact(depth.max(1)));
    for ((x, y), dy) in rows.zip(dy.as_slice::<T>()?.chunks_exact(depth.max(1))) {
        let (x, y, dy) = (wide(x), wide(y), wide(dy));
        let mut dx = vec![0f64; depth];
        for d in 0..depth {
            let near = d.saturating_sub(lrn.radius)..d.saturating_add(lrn.radius).saturating_add(1).min(depth);
            let norm = lrn.bias + lrn.alpha * x[near.clone()].iter().map(|v| v * v).sum::<f64>();
            let common = -2.0 * lrn.alpha * lrn.beta * y[d] / norm * dy[d];
            near.for_each(|k| dx[k] += common * x[k]);
            dx[d] += norm.powf(-lrn.beta) * dy[d];
        }
        out.extend(dx.into_iter().map(|v| T::from(v).unwrap_or_else(T::nan)));
    }
    Tensor::from_slice(x.shape().clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (dy, x, y) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    if dy.rank() != 4 || x.rank() != 4 {
        return Err(invalid_argument(format!("inputs must be 4-dimensional, got shapes {} and {}", dy.shape(), x.shape())));
    }
    if dy.shape() != x.shape() || x.shape() != y.shape() {
        return Err(invalid_argument(format!(
            "input_grads, input_image, and output_image should have the same shape, got {}, {} and {}",
            dy.shape(),
            x.shape(),
            y.shape()
        )));
    }
    let attrs = &ctx.node.attrs;
    let Ok(radius) = usize::try_from(attrs.int("depth_radius")?) else {
        return Err(invalid_argument(format!("depth_radius = {} is negative", attrs.int("depth_radius")?)));
    };
    let number = |name: &str| attrs.float(name).map(f64::from);
    let lrn = Lrn { radius, bias: number("bias")?, alpha: number("alpha")?, beta: number("beta")? };
    let dx = with_float!(x.dtype() => T, { backwards::<T>(&lrn, dy, x, y)? }, else { return Err(unsupported("LRNGrad", x.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank(0, 4)?.merge(&c.with_rank(1, 4)?)?.merge(&c.with_rank(2, 4)?)?;
    c.set_output(0, s);
    Ok(())
}
