//! `Dilation2D`: the largest sums of images and a filter under a window.

use super::dilation::{dilated, dilation_like, dilation_shape, dilation_window, for_each_largest};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::Bounded;

pub const OP: OpSpec = OpSpec {
    signature: "Dilation2D(input: T, filter: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; strides: list(int) >= 4; rates: list(int) >= 4; padding: string in {\"SAME\", \"VALID\"}",
    doc: "output[b, r, c, d] = the largest of input[b, r stride + i rate, c stride + j rate, d] + filter[i, j, d].",
    shape: dilation_shape,
    gradient: Gradient::Of(|op, grads| {
        let by = |name| -> Result<Option<Grad>> { Ok(Some(dilation_like(op, name, grads.dense(0))?.into())) };
        Ok(vec![by("Dilation2DBackpropInput")?, by("Dilation2DBackpropFilter")?])
    }),
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

/// What an element is that no image touches.
fn least<T: Bounded + Element>() -> T {
    T::min_value()
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let window = dilation_window(ctx)?;
    let (x, filter) = (ctx.input(0)?, ctx.input(1)?);
    let mut y = Tensor::for_overwrite(x.dtype(), dilated(&window)?)?;
    with_real!(x.dtype() => T, {
        let out = y.as_mut_slice::<T>()?;
        for_each_largest::<T>(x.as_slice()?, filter.as_slice()?, &window, |place, best| {
            out[place] = best.map_or(least::<T>(), |(sum, ..)| sum);
        });
    }, else { return Err(unsupported("Dilation2D", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradients_agree_with_differences() {
        // No two sums are so close that the differences would change which is the largest.
        let x = tensor(&[1, 3, 3, 1], &[0.1f32, 2.0, -1.0, 3.0, 0.5, 4.0, -2.0, 1.0, 6.0]);
        let filter = tensor(&[2, 2, 1], &[0.3f32, -0.2, 0.7, 0.05]);
        check_gradient(&[x, filter], |graph, inputs| {
            let node = graph.op("Dilation2D").inputs(inputs.iter().cloned());
            node.attr("strides", vec![1i64; 4]).attr("rates", vec![1i64; 4]).attr("padding", "VALID").build()
        });
    }
}
