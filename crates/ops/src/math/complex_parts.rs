//! Functions between complex and real tensors (TF: `cwise_op_complex`, `…_real`, `…_imag`, `…_arg`, `…_abs`).

use crate::prelude::*;
use num_complex::Complex;

/// y = f(x), from complex to real.
///
/// Errors: `Unimplemented` for types that are not complex.
pub(crate) fn part(ctx: &mut OpKernelContext, f32s: fn(&Complex<f32>) -> f32, f64s: fn(&Complex<f64>) -> f64) -> Result<()> {
    fn map<X: ferroflow_tensor::Element, Y: ferroflow_tensor::Element>(x: &Tensor, f: fn(&X) -> Y) -> Result<Tensor> {
        let mut y = Tensor::for_overwrite(Y::DTYPE, x.shape().clone())?;
        for (y, x) in y.as_mut_slice()?.iter_mut().zip(x.as_slice()?) {
            *y = f(x);
        }
        Ok(y)
    }
    let x = ctx.input(0)?;
    let y = match (x.dtype(), ctx.node.output_types[0].dtype) {
        (DType::Complex64, DType::Float) => map(x, f32s)?,
        (DType::Complex128, DType::Double) => map(x, f64s)?,
        (from, to) => return Err(invalid_argument(format!("{to} does not hold the parts of {from}"))),
    };
    ctx.set_output(0, y);
    Ok(())
}

/// A complex number of two real ones, in the type that goes with theirs.
pub(crate) fn complex(real: &Output, imag: &Output) -> Output {
    let out = if real.dtype() == DType::Double { DType::Complex128 } else { DType::Complex64 };
    real.graph().op("Complex").input(real).input(imag).attr("Tout", out).output()
}

/// A part of a complex number, in the type that goes with it.
pub(crate) fn part_of(op: &str, x: &Output) -> Output {
    let out = if x.dtype() == DType::Complex128 { DType::Double } else { DType::Float };
    x.graph().op(op).input(x).attr("Tout", out).output()
}
