//! `MaxPool3D`: the largest elements under a window over volumes.

use super::volume::{Volume, like, window_size};
use crate::prelude::*;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPool3D(input: T) -> (output: T)",
    attrs: "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; T: type in {half, bfloat16, float}",
    doc: "output[b, p, r, c, d] = the largest of the input's elements of depth d under the window at p, r, c.",
    shape: super::avg_pool3d::shape,
    gradient: Gradient::Of(|op, grads| Ok(vec![Some(like(op, "MaxPool3DGrad", [op.input(0), op.output(0), grads.dense(0)]).into())])),
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::BFloat16, DType::Float])],
    ..WORDS
};

/// For each element of the result, which element of its volume it is.
fn largest<T: Element + PartialOrd>(x: &[T], v: &Volume) -> Result<Vec<usize>> {
    let (from, to) = v.elements(v.depth);
    let mut all = crate::sparse::coo::filled(v.result(v.depth)?.num_elements(), 0usize)?;
    if all.is_empty() || from == 0 {
        return Ok(all);
    }
    for (image, places) in x.chunks_exact(from).zip(all.chunks_exact_mut(to)) {
        for (place, row) in places.chunks_exact_mut(v.depth).enumerate() {
            let mut first = true;
            v.under(place, |pixel, _| {
                for (d, best) in row.iter_mut().enumerate() {
                    let at = pixel * v.depth + d;
                    if first || image[at] > image[*best] {
                        *best = at;
                    }
                }
                first = false;
            });
        }
    }
    Ok(all)
}

fn pick<T: Element + PartialOrd>(x: &Tensor, v: &Volume) -> Result<Tensor> {
    let (from, to) = v.elements(v.depth);
    let values = x.as_slice::<T>()?;
    let y: Vec<T> = match from {
        0 => vec![T::default(); v.result(v.depth)?.num_elements()],
        _ => largest(values, v)?.iter().enumerate().map(|(k, at)| values[k / to * from + at]).collect(),
    };
    Tensor::from_slice(v.result(v.depth)?, &y)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let volume = Volume::of(&ctx.node.attrs, x.shape(), window_size(&ctx.node.attrs, "ksize")?)?;
    let y = with_float!(x.dtype() => T, { pick::<T>(x, &volume)? }, else { return Err(unsupported("MaxPool3D", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
