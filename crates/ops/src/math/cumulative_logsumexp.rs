//! `CumulativeLogsumexp`: running logarithms of sums of exponentials.

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::Float;

pub const OP: OpSpec = OpSpec {
    signature: "CumulativeLogsumexp(x: T, axis: Tidx) -> (out: T)",
    attrs: "exclusive: bool = false; reverse: bool = false; T: type in {bfloat16, half, float, double}; Tidx: type in {int32, int64} = int32",
    doc: "out = the log of the sum of exp(x) up to each element along axis; exclusive leaves the element itself out, reverse sums from the end.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn scan<T: Float + Element>(x: &Tensor, axis: usize, exclusive: bool, reverse: bool) -> Result<Tensor> {
    let n = x.shape().dim(axis);
    let inner: usize = x.dims()[axis + 1..].iter().product::<i64>() as usize;
    let values = x.as_slice::<T>()?;
    Tensor::build(x.shape().clone(), |out: &mut [T]| {
        for start in (0..values.len() / n.max(1) / inner.max(1)).flat_map(|o| (0..inner).map(move |i| o * n * inner + i)) {
            // As TF has it, "nothing yet" is the least finite number, not minus infinity.
            let mut sum = T::min_value().to_f64().unwrap_or(f64::MIN);
            for k in 0..n {
                let at = start + (if reverse { n - 1 - k } else { k }) * inner;
                let before = sum;
                let v = values[at].to_f64().unwrap_or(f64::NAN);
                let (most, least) = (sum.max(v), sum.min(v));
                sum = if most == f64::NEG_INFINITY { most } else { most + (least - most).exp().ln_1p() };
                out[at] = T::from(if exclusive { before } else { sum }).unwrap_or_else(T::nan);
            }
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, axis) = (ctx.input(0)?, ctx.input(1)?);
    if !axis.shape().is_scalar() {
        return Err(invalid_argument(format!("CumulativeLogsumexp: axis must be a scalar, not {}", axis.shape())));
    }
    let (given, rank) = (axis.to_i64()?, x.rank() as i64);
    let at = if given < 0 { given.saturating_add(rank) } else { given };
    if !(0..rank).contains(&at) {
        return Err(invalid_argument(format!("CumulativeLogsumexp: Expected scan axis in the range [{}, {rank}), but got {given}", -rank)));
    }
    let (exclusive, reverse) = (ctx.node.attrs.bool("exclusive")?, ctx.node.attrs.bool("reverse")?);
    let y = with_float!(x.dtype() => T, { scan::<T>(x, at as usize, exclusive, reverse)? }, else { return Err(unsupported("CumulativeLogsumexp", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
