//! `NextAfter`: the next number towards another.

use super::broadcasting::{for_each_pair, plan};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NextAfter(x1: T, x2: T) -> (output: T)",
    attrs: "T: type in {double, float} = float",
    doc: "The representable number after `x1` in the direction of `x2`.",
    shape: shape::broadcast,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

macro_rules! next_after {
    ($name:ident, $ty:ty) => {
        fn $name(x: $ty, y: $ty) -> $ty {
            if x.is_nan() || y.is_nan() {
                <$ty>::NAN
            } else if x == y {
                y
            } else if x < y {
                x.next_up()
            } else {
                x.next_down()
            }
        }
    };
}

next_after!(next_f32, f32);
next_after!(next_f64, f64);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    let (plan, shape) = plan(a.shape(), b.shape())?;
    let y = if a.dtype() == DType::Float {
        let (a, b) = (a.as_slice::<f32>()?, b.as_slice::<f32>()?);
        Tensor::build(shape, |out: &mut [f32]| {
            for_each_pair(&plan, |i, j, o| out[o] = next_f32(a[i], b[j]));
            Ok(())
        })?
    } else {
        let (a, b) = (a.as_slice::<f64>()?, b.as_slice::<f64>()?);
        Tensor::build(shape, |out: &mut [f64]| {
            for_each_pair(&plan, |i, j, o| out[o] = next_f64(a[i], b[j]));
            Ok(())
        })?
    };
    ctx.set_output(0, y);
    Ok(())
}
