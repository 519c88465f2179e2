//! `MaxPool3DGrad`: the gradient of `MaxPool3D`.

use super::max_pool3d::largest;
use super::volume::{Volume, window_size};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPool3DGrad(orig_input: TInput, orig_output: TInput, grad: T) -> (output: T)",
    attrs: "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; T: type in {half, bfloat16, float} = float; TInput: type in {half, bfloat16, float} = float",
    doc: "The gradient of the volumes: that of each result goes to the element that was the largest.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::BFloat16, DType::Float])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element + PartialOrd + AsPrimitive<f64>>(x: &Tensor, dy: &Tensor, v: &Volume) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    let (from, to) = v.elements(v.depth);
    let mut sums = vec![0f64; x.num_elements()];
    if from > 0 {
        let places = largest(x.as_slice::<T>()?, v)?;
        for (k, (at, grad)) in places.iter().zip(dy.as_slice::<T>()?).enumerate() {
            sums[k / to * from + at] += AsPrimitive::<f64>::as_(*grad);
        }
    }
    Tensor::from_slice(x.shape().clone(), &sums.iter().map(|s| s.as_()).collect::<Vec<T>>())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, y, dy) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let volume = Volume::of(&ctx.node.attrs, x.shape(), window_size(&ctx.node.attrs, "ksize")?)?;
    let wanted = volume.result(volume.depth)?;
    if *y.shape() != wanted || *dy.shape() != wanted || x.dtype() != dy.dtype() {
        return Err(invalid_argument(format!("orig_output and grad must have shape {wanted}, got {} and {}", y.shape(), dy.shape())));
    }
    let dx = with_float!(x.dtype() => T, { spread::<T>(x, dy, &volume)? }, else { return Err(unsupported("MaxPool3DGrad", x.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}
