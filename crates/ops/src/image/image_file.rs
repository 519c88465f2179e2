//! Image files of all formats, read by all decoding ops (TF: `DecodeImageV2Op`): each op takes some formats, and lays frames out its way.

use super::jpeg_file::Wanted;
use super::{bmp_file, gif_file, jpeg_file, png_file};
use crate::prelude::*;

/// The op that a file goes through.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Door {
    Png,
    Jpeg,
    CroppedJpeg,
    Bmp,
    Gif,
    Any,
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Png,
    Jpeg,
    Gif,
    Bmp,
}

impl Format {
    fn of(bytes: &[u8]) -> Result<Format> {
        let all: [(&[u8], Format); 4] =
            [(b"\xff\xd8\xff", Format::Jpeg), (b"\x89PNG\r\n\x1a\n", Format::Png), (b"GIF8", Format::Gif), (b"BM", Format::Bmp)];
        if bytes.is_empty() {
            return Err(invalid_argument("Input is empty."));
        }
        let found = all.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, format)| *format);
        found.ok_or_else(|| invalid_argument("Unknown image file format. One of JPEG, PNG, GIF, BMP required."))
    }
}

/// Frames of pixels of 8 bits.
pub(super) struct Frames {
    pub(super) count: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) channels: usize,
    pub(super) samples: Vec<u8>,
}

impl Frames {
    /// The samples as what `dtype` holds.
    fn into_tensor(self, shape: Shape, dtype: DType) -> Result<Tensor> {
        match dtype {
            DType::UInt8 => Tensor::from_slice(shape, &self.samples),
            // TF shifts, so that white is less than the most; only PNG files fill the range.
            DType::UInt16 => Tensor::from_slice(shape, &self.samples.iter().map(|&s| u16::from(s) << 8).collect::<Vec<_>>()),
            _ => Tensor::from_slice(shape, &self.samples.iter().map(|&s| f32::from(s) * (1.0 / 255.0)).collect::<Vec<_>>()),
        }
    }
}

/// The file at input 0.
///
/// Errors: `InvalidArgument` if it is no scalar.
pub(super) fn contents<'a>(ctx: &'a OpKernelContext) -> Result<&'a [u8]> {
    let contents = ctx.input(0)?;
    match contents.as_strings()? {
        [bytes] if contents.shape().is_scalar() => Ok(bytes),
        _ => Err(invalid_argument(format!("`contents` must be scalar but got shape {}", contents.shape()))),
    }
}

fn png(bytes: &[u8], channels: usize, dtype: DType, with_frames: bool) -> Result<Tensor> {
    let pixels = png_file::read(bytes)?.with_channels(channels)?;
    let own = [pixels.rows, pixels.columns, pixels.channels];
    let shape = if with_frames { Shape::from_lens(&[&[1], &own[..]].concat())? } else { Shape::from_lens(&own)? };
    let deep = |s: u16| if pixels.is_deep { s } else { s * 257 };
    let samples = pixels.samples.iter();
    match dtype {
        DType::UInt8 => {
            Tensor::from_slice(shape, &samples.map(|&s| if pixels.is_deep { (s >> 8) as u8 } else { s as u8 }).collect::<Vec<_>>())
        }
        DType::UInt16 => Tensor::from_slice(shape, &samples.map(|&s| deep(s)).collect::<Vec<_>>()),
        _ => Tensor::from_slice(shape, &samples.map(|&s| f32::from(deep(s)) * (1.0 / 65535.0)).collect::<Vec<_>>()),
    }
}

/// The kernel of every decoding op.
///
/// Errors: `InvalidArgument` for files that are damaged or of a format that the op does not take.
pub(super) fn decode(ctx: &mut OpKernelContext, door: Door) -> Result<()> {
    let bytes = contents(ctx)?;
    let attrs = &ctx.node.attrs;
    let channels = if attrs.contains("channels") { attrs.int("channels")? } else { 0 };
    if ![0, 1, 3, 4].contains(&channels) {
        return Err(invalid_argument(format!("`channels` must be 0, 1, 3 or 4 but got {channels}")));
    }
    // Frames are of three channels.
    let channels = if door == Door::Gif { 3 } else { channels as usize };
    let dtype = ctx.node.output_types[0].dtype;
    let format = Format::of(bytes)?;
    let name = ctx.node.op_name();
    let only_bmp = |format: &str| {
        let other = format.to_lowercase();
        Err(invalid_argument(format!(
            "Trying to decode {format} format using DecodeBmp op. Use `decode_{other}` or `decode_image` instead."
        )))
    };
    let y = match format {
        Format::Jpeg => {
            if channels == 4 {
                return Err(invalid_argument("JPEG does not support 4 channels"));
            }
            if door == Door::Bmp {
                return only_bmp("JPEG");
            }
            let mut wanted = Wanted { channels, ..Wanted::default() };
            if matches!(door, Door::Jpeg | Door::CroppedJpeg) {
                wanted.read_attrs(attrs)?;
            }
            if door == Door::CroppedJpeg {
                wanted.crop = Some(window(ctx)?);
            }
            let frames = jpeg_file::read(bytes, &wanted)?;
            let shape = layout(&frames, door == Door::Gif)?;
            frames.into_tensor(shape, dtype)?
        }
        _ if door == Door::CroppedJpeg => return Err(invalid_argument("Expected image (JPEG), got another format")),
        Format::Png if door == Door::Bmp => return only_bmp("PNG"),
        Format::Png => png(bytes, channels, dtype, door == Door::Gif)?,
        Format::Gif => {
            if ![0, 3].contains(&channels) {
                return Err(invalid_argument(format!("channels must be 0 or 3 for GIF, got {channels}")));
            }
            if door == Door::Bmp {
                return only_bmp("GIF");
            }
            let expand = door == Door::Gif || (door == Door::Any && attrs.bool("expand_animations")?);
            let mut frames = gif_file::read(bytes)?;
            if !expand {
                if door != Door::Any && frames.count > 1 {
                    return Err(invalid_argument(format!(
                        "Got {} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image",
                        frames.count
                    )));
                }
                frames.samples.truncate(frames.rows * frames.columns * frames.channels);
            }
            let shape = layout(&frames, expand)?;
            frames.into_tensor(shape, dtype)?
        }
        Format::Bmp => {
            if channels == 1 {
                return Err(invalid_argument("`channels` must be 0, 3 or 4 for BMP, but got 1"));
            }
            if ![Door::Bmp, Door::Any].contains(&door) {
                return Err(invalid_argument(format!(
                    "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: {name}"
                )));
            }
            let frames = bmp_file::read(bytes, channels)?;
            let shape = layout(&frames, false)?;
            frames.into_tensor(shape, dtype)?
        }
    };
    ctx.set_output(0, y);
    Ok(())
}

fn layout(frames: &Frames, with_frames: bool) -> Result<Shape> {
    let all = [frames.count, frames.rows, frames.columns, frames.channels];
    Shape::from_lens(if with_frames { &all } else { &all[1..] })
}

fn window(ctx: &OpKernelContext) -> Result<[i32; 4]> {
    let t = ctx.input(1)?;
    if t.rank() != 1 {
        return Err(invalid_argument(format!("crop_window must be 1-D, got shape {}", t.shape())));
    }
    let window = t.as_slice::<i32>()?;
    window.try_into().map_err(|_| invalid_argument(format!("crop_size must have four elements, got shape {}", t.shape())))
}

/// Rows and columns that only the file tells, and the channels that are asked for.
///
/// Errors: `InvalidArgument` if the file is no scalar.
pub(super) fn image_shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 0)?;
    let channels = c.node().attrs.int("channels")?;
    c.set_output(0, PartialShape::new(&[None, None, Some(channels).filter(|c| *c > 0)]));
    Ok(())
}
