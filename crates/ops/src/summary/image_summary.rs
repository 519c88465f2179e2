//! `ImageSummary`: images, for event files.

use super::tags::{numbers, scalar_tag};
use crate::prelude::*;
use ferroflow_io::summary;

pub const OP: OpSpec = OpSpec {
    signature: "ImageSummary(tag: string, tensor: T) -> (summary: string)",
    attrs: "max_images: int >= 1 = 3; T: type in {uint8, float, half, double} = float; bad_color: tensor = tensor",
    doc: "A serialized `Summary` with the first `max_images` images of `tensor`, of shape `[batch, height, width, channels]` with 1, 3 or 4 \
          channels, as PNG under `tag/image` or `tag/image/0`, `tag/image/1`, …. Floats are scaled: from 0 to 255 the non-negative ones, \
          around 127 those of either sign; pixels that are no numbers become `bad_color`.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let bytes = images(&scalar_tag(ctx, 0)?, ctx.input(1)?, attrs.count("max_images")?, attrs.tensor("bad_color")?)?;
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}

/// A serialised summary of the first `most` images.
///
/// Errors: `InvalidArgument` for tensors that are no images, and colours that do not fit them.
pub(super) fn images(tag: &str, x: &Tensor, most: usize, bad_color: &Tensor) -> Result<Vec<u8>> {
    let (batch, height, width, channels) = match *x.dims() {
        [b, h, w, c @ (1 | 3 | 4)] => (b as usize, h as usize, w as usize, c as usize),
        _ => {
            return Err(invalid_argument(format!("Tensor must be 4-D with last dim 1, 3, or 4, not {}", x.shape())));
        }
    };
    let bad_color = color_of(bad_color, channels)?;
    let size = height * width * channels;
    let mut bytes = Vec::new();
    for i in 0..batch.min(most) {
        let image = x.rows(i, 1)?;
        let pixels = match image.dtype() {
            DType::UInt8 => image.as_slice::<u8>()?.to_vec(),
            _ => scaled(&numbers(&image)?, channels, &bad_color),
        };
        if pixels.len() != size {
            return Err(internal("an image has another number of pixels"));
        }
        let tag = if most > 1 { format!("{tag}/image/{i}") } else { format!("{tag}/image") };
        bytes.extend(summary::image(&tag, height, width, channels, &pixels)?);
    }
    Ok(bytes)
}

/// The colour of pixels that are no numbers; as many bytes as there are channels.
fn color_of(color: &Tensor, channels: usize) -> Result<Vec<u8>> {
    let color = color.as_slice::<u8>().map_err(|_| invalid_argument(format!("bad_color must be uint8, not {}", color.dtype())))?;
    color.get(..channels).map(<[u8]>::to_vec).ok_or_else(|| {
        invalid_argument(format!("expected depth at most {} for bad_color, the images have {channels} channels", color.len()))
    })
}

/// Floats as bytes, scaled as TF scales them.
fn scaled(values: &[f64], channels: usize, bad_color: &[u8]) -> Vec<u8> {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    // The least scale keeps an image of zeros black instead of dividing by zero.
    const LEAST: f64 = 1e-6;
    let (scale, offset) = if low < 0.0 {
        let largest = low.abs().max(high.abs());
        (if largest < LEAST { 0.0 } else { 127.0 / largest }, 128.0)
    } else {
        (if high < LEAST { 0.0 } else { 255.0 / high }, 0.0)
    };
    let pixel = |p: &[f64]| -> Vec<u8> {
        if p.iter().all(|v| v.is_finite()) { p.iter().map(|v| (v * scale + offset) as u8).collect() } else { bad_color.to_vec() }
    };
    values.chunks_exact(channels).flat_map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_scaled_to_bytes() {
        assert_eq!(scaled(&[0.0, 0.5, 1.0, f64::NAN], 1, &[9]), [0, 127, 255, 9]);
        assert_eq!(scaled(&[-1.0, 0.0, 1.0], 1, &[9]), [1, 128, 255]);
        assert_eq!(scaled(&[0.0, 0.0], 1, &[9]), [0, 0]);
    }

    #[test]
    fn only_the_first_images_are_kept() {
        let x = tensor(&[3, 1, 2, 1], &[0u8, 1, 2, 3, 4, 5]);
        let y = OpTester::new(&OP).input("t").input(x).attr("max_images", 2i64).run_one().unwrap();
        let want =
            [summary::image("t/image/0", 1, 2, 1, &[0, 1]).unwrap(), summary::image("t/image/1", 1, 2, 1, &[2, 3]).unwrap()].concat();
        assert_eq!(y.as_strings().unwrap()[0], want);
        let e = OpTester::new(&OP).input("t").input(tensor(&[1, 2], &[0f32, 1.0])).run().unwrap_err();
        assert_eq!(e.bare_message(), "Tensor must be 4-D with last dim 1, 3, or 4, not [1,2]");
        let e = OpTester::new(&OP).input("t").input(tensor(&[1, 0, 2, 1], &[0f32; 0])).run().unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }
}
