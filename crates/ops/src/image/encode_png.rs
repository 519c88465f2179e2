//! `EncodePng`: images as PNG files.

use crate::prelude::*;
use bytes::Bytes;
use png::{BitDepth, ColorType, Compression, Encoder};

pub const OP: OpSpec = OpSpec {
    signature: "EncodePng(image: T) -> (contents: string)",
    attrs: "compression: int = -1; T: type in {uint8, uint16} = uint8",
    doc: "For each image `[..., rows, columns, channels]` a PNG file; 1 channel is gray, 2 are gray and alpha, 3 colours, 4 colours and alpha.",
    shape: |c| {
        let x = c.with_rank_at_least(0, 3)?;
        c.set_output(0, x.dims().map_or_else(PartialShape::unknown, |d| PartialShape::new(&d[..d.len() - 3])));
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn file(samples: &[u8], [rows, columns]: [u32; 2], color: ColorType, depth: BitDepth, compression: Compression) -> Result<Bytes> {
    let mut bytes = Vec::new();
    let failed = |e: png::EncodingError| internal(format!("PNG encoding failed: {e}"));
    let mut encoder = Encoder::new(&mut bytes, columns, rows);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(samples).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes.into())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let [outer @ .., rows, columns, channels] = x.dims() else {
        return Err(invalid_argument(format!("image must have at least rank 3, got shape {}", x.shape())));
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        other => return Err(invalid_argument(format!("image must have 1, 2, 3, or 4 channels, got {other}"))),
    };
    let compression = match ctx.node.attrs.int("compression")? {
        -1 | 4..=6 => Compression::Balanced,
        0 => Compression::NoCompression,
        1..=3 => Compression::Fast,
        7..=9 => Compression::High,
        other => return Err(invalid_argument(format!("compression should be in [-1,9], got {other}"))),
    };
    let size = |n: i64| u32::try_from(n).ok().filter(|n| (1..=i32::MAX as u32).contains(n));
    let (Some(height), Some(width)) = (size(*rows), size(*columns)) else {
        return Err(invalid_argument(format!("an image of shape {} has no pixels", x.shape())));
    };
    let depth = if x.dtype() == DType::UInt16 { BitDepth::Sixteen } else { BitDepth::Eight };
    let samples: Vec<u8> = match x.dtype() {
        // The most significant byte comes first.
        DType::UInt16 => x.as_slice::<u16>()?.iter().flat_map(|s| s.to_be_bytes()).collect(),
        _ => x.as_slice::<u8>()?.to_vec(),
    };
    let each = height as usize * width as usize * *channels as usize * x.dtype().size();
    let files: Result<Vec<Bytes>> =
        samples.chunks_exact(each).map(|image| file(image, [height, width], color, depth, compression)).collect();
    let y = Tensor::strings(Shape::new(outer)?, files?)?;
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for channels in 1..=4i64 {
            let n = 2 * 3 * channels;
            let bytes: Vec<u8> = (0..n).map(|i| (i * 37 % 256) as u8).collect();
            let wide: Vec<u16> = (0..n).map(|i| (i * 9973 % 65536) as u16).collect();
            for (image, dtype) in [(tensor(&[2, 3, channels], &bytes), DType::UInt8), (tensor(&[2, 3, channels], &wide), DType::UInt16)] {
                for compression in [-1i64, 0, 1, 9] {
                    let file = OpTester::new(&OP).input(image.clone()).attr("compression", compression).run_one().unwrap();
                    if channels != 2 {
                        let back =
                            OpTester::named("DecodePng").input(file).attr("channels", channels).attr("dtype", dtype).run_one().unwrap();
                        assert_eq!(back.bytes().unwrap(), image.bytes().unwrap());
                    }
                }
            }
        }
        let batch = OpTester::new(&OP).input(tensor(&[2, 1, 1, 1], &[1u8, 2])).run_one().unwrap();
        assert_eq!(batch.dims(), [2]);
        for bad in [tensor(&[2, 2], &[0u8; 4]), tensor(&[1, 1, 5], &[0u8; 5]), tensor(&[0, 1, 1], &[0u8; 0])] {
            assert_eq!(OpTester::new(&OP).input(bad).run_one().unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
