//! `ExtractVolumePatches`: what lies under a window over volumes, as depth.

use crate::nn::volume::{Volume, known_shape, window_size};
use crate::prelude::*;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "ExtractVolumePatches(input: T) -> (patches: T)",
    attrs: "ksizes: list(int) >= 5; strides: list(int) >= 5; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; padding: string in {\"SAME\", \"VALID\"}",
    doc: "patches[b, p, r, c, :] = all elements of the input under the window at p, r, c, zeros outside of it.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

fn patches<T: Element>(x: &Tensor, v: &Volume) -> Result<Tensor> {
    let depth = v.covered().saturating_mul(v.depth);
    let mut y = Tensor::zeros(T::DTYPE, v.result(depth)?)?;
    let (from, to) = v.elements(depth);
    if y.num_elements() > 0 && from > 0 {
        for (image, out) in x.as_slice::<T>()?.chunks_exact(from).zip(y.as_mut_slice::<T>()?.chunks_exact_mut(to)) {
            out.copy_from_slice(&v.patches(image)?);
        }
    }
    Ok(y)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let volume = Volume::of(&ctx.node.attrs, x.shape(), window_size(&ctx.node.attrs, "ksizes")?)?;
    let y = with_real!(x.dtype() => T, { patches::<T>(x, &volume)? }, else { return Err(unsupported("ExtractVolumePatches", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let size = window_size(&c.node().attrs, "ksizes").ok();
    let covered = size.and_then(|s| s.iter().try_fold(1i64, |n, &d| n.checked_mul(d as i64)));
    let depth = c.with_rank(0, 5)?.dim(4).zip(covered).and_then(|(d, n)| d.checked_mul(n));
    known_shape(c, size, depth)
}
