//! `ExtractImagePatches`: patches of images as depth.

use super::blocks::Blocks;
use super::space_batch;
use crate::nn::sliding_window::Sliding;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ExtractImagePatches(images: T) -> (patches: T)",
    attrs: "ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; T: type in {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}; padding: string in {\"SAME\", \"VALID\"}",
    doc: "For each place of a window of `ksizes` that moves by `strides`, with `rates` between its pixels: the pixels under it, as depth.",
    shape: space_batch::same_rank,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let attrs = &ctx.node.attrs;
    // The window of a convolution, under other names.
    let mut window = AttrMap::new();
    window.insert("data_format", "NHWC");
    window.insert("padding", attrs.str("padding")?);
    window.insert("strides", attrs.ints("strides")?.to_vec());
    window.insert("dilations", attrs.ints("rates")?.to_vec());
    window.insert("ksize", attrs.ints("ksizes")?.to_vec());
    let size = crate::nn::sliding_window::pool_size(&window)?;
    let w = Sliding::of(&window)?.window(x.shape(), size)?;
    let source = |at: &[usize]| {
        let along = |axis: usize| {
            let place = (at[1 + axis] * w.stride[axis] + at[3 + axis] * w.dilation[axis]).checked_sub(w.pad[axis])?;
            (place < w.image[axis]).then_some(place)
        };
        Some((at[0] * w.image[0] + along(0)?) * w.image[1] + along(1)?)
    };
    let shape = Shape::from_lens(&[w.batch, w.out[0], w.out[1], size[0] * size[1] * w.depth])?;
    let y = Blocks { dims: vec![w.batch, w.out[0], w.out[1], size[0], size[1]], inner: w.depth, source }.run(x, shape)?;
    ctx.set_output(0, y);
    Ok(())
}
