//! `QuantizeAndDequantizeV4Grad`: the gradient of `QuantizeAndDequantizeV4`.

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::Float;

pub const OP: OpSpec = OpSpec {
    signature: "QuantizeAndDequantizeV4Grad(gradients: T, input: T, input_min: T, input_max: T) -> (input_backprop: T, input_min_backprop: T, input_max_backprop: T)",
    attrs: "T: type in {bfloat16, half, float, double}; axis: int = -1",
    doc: "gradients where input lies in its range, else 0; the ends of the range have none.",
    shape: |c| {
        let (min, max) = (c.input(2), c.input(3));
        c.set_output(0, c.input(0));
        c.set_output(1, min);
        c.set_output(2, max);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS)],
    ..WORDS
};

fn within<T: Element + Float>(ctx: &OpKernelContext) -> Result<Tensor> {
    let (dy, x) = (ctx.input(0)?, ctx.input(1)?);
    if dy.shape() != x.shape() {
        return Err(invalid_argument("gradient and input must be the same size"));
    }
    let axis = ctx.node.attrs.int("axis")?;
    let (channels, inner) = match usize::try_from(axis) {
        Err(_) => (1, 1),
        Ok(axis) if axis < x.rank() => (x.shape().dim(axis), x.dims()[axis + 1..].iter().product::<i64>() as usize),
        Ok(_) => return Err(invalid_argument(format!("Axis should be at least -1 and below the rank {}, got {axis}", x.rank()))),
    };
    let (min, max) = (ctx.slice::<T>(2)?, ctx.slice::<T>(3)?);
    if min.len() != channels || max.len() != channels {
        return Err(invalid_argument(format!(
            "input_min and input_max must have {channels} elements, got {} and {}",
            min.len(),
            max.len()
        )));
    }
    let (grads, numbers) = (dy.as_slice::<T>()?, x.as_slice::<T>()?);
    Tensor::build(x.shape().clone(), |out: &mut [T]| {
        for (i, o) in out.iter_mut().enumerate() {
            let channel = i / inner.max(1) % channels;
            *o = if numbers[i] >= min[channel] && numbers[i] <= max[channel] { grads[i] } else { T::zero() };
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let dx = match ctx.input(0)?.dtype() {
        DType::Float => within::<f32>(ctx)?,
        DType::Double => within::<f64>(ctx)?,
        other => return Err(unsupported("QuantizeAndDequantizeV4Grad", other)),
    };
    let zeros = |i: usize| -> Result<Tensor> { Tensor::zeros(ctx.input(i)?.dtype(), ctx.input(i)?.shape().clone()) };
    let (min, max) = (zeros(2)?, zeros(3)?);
    ctx.set_output(0, dx);
    ctx.set_output(1, min);
    ctx.set_output(2, max);
    Ok(())
}
