//! `MaxPool3DGrad`: the gradient of `MaxPool3D`.

use super::volume::{Volume, window_size};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPool3DGrad(orig_input: TInput, orig_output: TInput, grad: T) -> (output: T)",
    attrs: "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; T: type in {half, bfloat16, float} = float; TInput: type in {half, bfloat16, float} = float",
    doc: "The gradient of the volumes: that of each result goes to every element that was as large.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::BFloat16, DType::Float])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element + PartialOrd + AsPrimitive<f64>>(x: &Tensor, y: &Tensor, dy: &Tensor, v: &Volume) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    let (from, to) = v.elements(v.depth);
    let mut sums = vec![0f64; x.num_elements()];
    if from > 0 && to > 0 {
        let results = y.as_slice::<T>()?.chunks_exact(to).zip(dy.as_slice::<T>()?.chunks_exact(to));
        for ((sums, x), (y, dy)) in sums.chunks_exact_mut(from).zip(x.as_slice::<T>()?.chunks_exact(from)).zip(results) {
            for (place, (y, dy)) in y.chunks_exact(v.depth).zip(dy.chunks_exact(v.depth)).enumerate() {
                v.under(place, |pixel, _| {
                    for d in 0..v.depth {
                        let at = pixel * v.depth + d;
                        if x[at] == y[d] {
                            sums[at] += AsPrimitive::<f64>::as_(dy[d]);
                        }
                    }
                });
            }
        }
    }
    Tensor::from_slice(x.shape().clone(), &sums.iter().map(|s| s.as_()).collect::<Vec<T>>())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, y, dy) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let volume = Volume::of(&ctx.node.attrs, x.shape(), window_size(&ctx.node.attrs, "ksize")?)?;
    let wanted = volume.result(volume.depth)?;
    if *y.shape() != wanted || *dy.shape() != wanted || x.dtype() != dy.dtype() || x.dtype() != y.dtype() {
        return Err(invalid_argument(format!("orig_output and grad must have shape {wanted}, got {} and {}", y.shape(), dy.shape())));
    }
    let dx = with_float!(x.dtype() => T, { spread::<T>(x, y, dy, &volume)? }, else { return Err(unsupported("MaxPool3DGrad", x.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}
