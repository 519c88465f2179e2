//! `DecodePng`: a PNG file as an image.

use crate::prelude::*;
use ferroflow_tensor::error::unimplemented as not_supported;
use png::{BitDepth, Decoder, Transformations};
use std::io::Cursor;

pub const OP: OpSpec = OpSpec {
    signature: "DecodePng(contents: string) -> (image: dtype)",
    attrs: "channels: int = 0; dtype: type in {uint8, uint16} = uint8",
    doc: "The pixels of a PNG file, `[rows, columns, channels]`; 0 channels are as many as the file has.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// From so many samples on an image is refused, as TensorFlow does: a few bytes can claim to be any size.
const MOST_SAMPLES: u64 = 1 << 29;

/// The pixels of a file, 16 bits for each channel.
struct Pixels {
    rows: usize,
    columns: usize,
    channels: usize,
    samples: Vec<u16>,
    /// Whether the file has 16 bits for each.
    is_deep: bool,
}

fn read(bytes: &[u8]) -> Result<Pixels> {
    let bad = |e: png::DecodingError| invalid_argument(format!("Invalid PNG data, size {}: {e}", bytes.len()));
    if !bytes.starts_with(b"\x89PNG") {
        let other = bytes.starts_with(b"\xff\xd8\xff") || bytes.starts_with(b"GIF8") || bytes.starts_with(b"BM");
        return Err(if other {
            not_supported("images of this format are not supported, only PNG")
        } else {
            invalid_argument("Expected image (PNG), got unknown format")
        });
    }
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(bad)?;
    let (rows, columns) = (reader.info().height, reader.info().width);
    let channels = reader.output_color_type().0.samples() as u64;
    if u64::from(rows) * u64::from(columns) * channels >= MOST_SAMPLES {
        return Err(invalid_argument(format!("PNG size too large for int: {columns} by {rows}")));
    }
    let size = reader.output_buffer_size().ok_or_else(|| invalid_argument("a PNG image is too large"))?;
    let mut data = crate::sparse::coo::filled(size, 0u8)?;
    let info = reader.next_frame(&mut data).map_err(bad)?;
    data.truncate(info.buffer_size());
    let is_deep = info.bit_depth == BitDepth::Sixteen;
    let samples = if is_deep {
        data.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect()
    } else {
        data.iter().map(|&b| u16::from(b)).collect()
    };
    Ok(Pixels { rows: info.height as usize, columns: info.width as usize, channels: info.color_type.samples(), samples, is_deep })
}

/// How bright a colour of 8 bits is, as libpng calculates it.
fn gray(pixel: &[u16]) -> u16 {
    let [r, g, b] = [0, 1, 2].map(|i| u64::from(pixel[i]));
    if r == g && g == b {
        return pixel[0];
    }
    let sum = 9798 * r + 19235 * g + 3735 * b;
    (sum >> 15) as u16
}

impl Pixels {
    /// The same pixels with this many channels.
    ///
    /// Errors: `Unimplemented` for colours of 16 bits that are to be gray.
    fn with_channels(self, wanted: usize) -> Result<Pixels> {
        if wanted == 0 || wanted == self.channels {
            return Ok(self);
        }
        if wanted == 1 && self.channels >= 3 && self.is_deep {
            return Err(not_supported("a PNG file with 16 bits for each colour cannot be read in gray"));
        }
        let opaque = if self.is_deep { u16::MAX } else { 255 };
        let mut samples = Vec::with_capacity(self.rows * self.columns * wanted);
        for pixel in self.samples.chunks_exact(self.channels) {
            let (is_color, has_alpha) = (self.channels >= 3, self.channels.is_multiple_of(2));
            match (wanted, is_color) {
                (1, true) => samples.push(gray(pixel)),
                (1, false) => samples.push(pixel[0]),
                (_, true) => samples.extend_from_slice(&pixel[..3]),
                (_, false) => samples.extend([pixel[0]; 3]),
            }
            if wanted == 4 {
                samples.push(if has_alpha { pixel[self.channels - 1] } else { opaque });
            }
        }
        Ok(Pixels { channels: wanted, samples, ..self })
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let contents = ctx.input(0)?;
    let ([bytes], true) = (contents.as_strings()?, contents.shape().is_scalar()) else {
        return Err(invalid_argument(format!("`contents` must be scalar but got shape {}", contents.shape())));
    };
    let wanted = ctx.node.attrs.int("channels")?;
    if ![0, 1, 3, 4].contains(&wanted) {
        return Err(invalid_argument(format!("`channels` must be 0, 1, 3 or 4 but got {wanted}")));
    }
    let pixels = read(bytes)?.with_channels(wanted as usize)?;
    let shape = Shape::from_lens(&[pixels.rows, pixels.columns, pixels.channels])?;
    let deep = pixels.is_deep;
    let y = if ctx.node.output_types[0].dtype == DType::UInt8 {
        Tensor::from_slice(shape, &pixels.samples.iter().map(|&s| if deep { (s >> 8) as u8 } else { s as u8 }).collect::<Vec<u8>>())?
    } else {
        Tensor::from_slice(shape, &pixels.samples.iter().map(|&s| if deep { s } else { s * 257 }).collect::<Vec<u16>>())?
    };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 0)?;
    let channels = c.node().attrs.int("channels")?;
    c.set_output(0, PartialShape::new(&[None, None, Some(channels).filter(|c| *c > 0)]));
    Ok(())
}
