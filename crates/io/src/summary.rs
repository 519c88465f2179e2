//! Building `Summary` messages: the serialized values that summary ops output and event files hold.
//!
//! Each function returns a serialized `Summary`. Serialized summaries of distinct tags can be merged by
//! concatenation, see [`merge`].

use crate::histogram::Histogram;
use bytes::Bytes;
use ferroflow_proto::summary::value::Value as Kind;
use ferroflow_proto::summary::{Image, Value};
use ferroflow_proto::summary_metadata::PluginData;
use ferroflow_proto::{DataClass, Message, Summary, SummaryMetadata};
use ferroflow_tensor::error::{Result, internal, invalid_argument};
use ferroflow_tensor::{Shape, Tensor};
use std::collections::HashSet;

/// The summary of one number.
pub fn scalar(tag: &str, value: f32) -> Vec<u8> {
    serialize(tag, None, Kind::SimpleValue(value))
}

/// The summary of a histogram.
pub fn histogram(tag: &str, histogram: &Histogram) -> Vec<u8> {
    serialize(tag, None, Kind::Histo(histogram.to_proto()))
}

/// The summary of an image of `channels` bytes a pixel (1 grey, 3 RGB, 4 RGBA), rows from top to bottom; stored as PNG.
///
/// Errors: `InvalidArgument` if the numbers do not make an image.
pub fn image(tag: &str, height: usize, width: usize, channels: usize, pixels: &[u8]) -> Result<Vec<u8>> {
    let too_large = || invalid_argument(format!("an image of {height} x {width} pixels is too large"));
    let encoded = encode_png(height, width, channels, pixels)?;
    let image = Image {
        height: i32::try_from(height).map_err(|_| too_large())?,
        width: i32::try_from(width).map_err(|_| too_large())?,
        colorspace: channels as i32,
        encoded_image_string: encoded.into(),
    };
    Ok(serialize(tag, None, Kind::Image(image)))
}

/// The summary of lines of text (TensorBoard's text plugin; Markdown).
///
/// One line makes a scalar, others a vector.
///
/// Errors: what the tensor codec refuses.
pub fn text(tag: &str, lines: &[&str]) -> Result<Vec<u8>> {
    let shape = if lines.len() == 1 { Shape::scalar() } else { Shape::from_lens(&[lines.len()])? };
    let value = Tensor::strings(shape, lines.iter().map(|l| Bytes::copy_from_slice(l.as_bytes())).collect())?;
    let metadata = SummaryMetadata {
        plugin_data: Some(PluginData { plugin_name: "text".to_owned(), ..PluginData::default() }),
        data_class: DataClass::Tensor.into(),
        ..SummaryMetadata::default()
    };
    Ok(serialize(tag, Some(metadata), Kind::Tensor(ferroflow_tensor::to_proto(&value)?)))
}

/// The summary of a tensor, shown as its metadata says (TF: `TensorSummaryV2`).
///
/// Errors: `InvalidArgument` if `metadata` is no serialized `SummaryMetadata`; what the tensor codec refuses.
pub fn tensor(tag: &str, value: &Tensor, metadata: &[u8]) -> Result<Vec<u8>> {
    let metadata =
        SummaryMetadata::decode(metadata).map_err(|e| invalid_argument(format!("the summary metadata cannot be parsed: {e}")))?;
    Ok(serialize(tag, Some(metadata), Kind::Tensor(ferroflow_tensor::to_proto(value)?)))
}

/// All values of several serialized summaries in one.
///
/// Errors: `InvalidArgument` if one is no summary, or `Duplicate tag …` if two values have the same tag.
pub fn merge<'a>(summaries: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
    let mut merged = Summary::default();
    let mut tags = HashSet::new();
    for bytes in summaries {
        for value in parse(bytes)?.value {
            if !tags.insert(value.tag.clone()) {
                return Err(invalid_argument(format!("Duplicate tag {} found in summary inputs", value.tag)));
            }
            merged.value.push(value);
        }
    }
    Ok(merged.encode_to_vec())
}

/// The message of a serialized summary.
pub(crate) fn parse(bytes: &[u8]) -> Result<Summary> {
    Summary::decode(bytes).map_err(|e| invalid_argument(format!("Could not parse one of the summary inputs: {e}")))
}

fn serialize(tag: &str, metadata: Option<SummaryMetadata>, kind: Kind) -> Vec<u8> {
    Summary { value: vec![Value { tag: tag.to_owned(), node_name: String::new(), metadata, value: Some(kind) }] }.encode_to_vec()
}

/// An image as a PNG file; see [`image`] for the layout of `pixels`.
///
/// Errors: `InvalidArgument` if the numbers do not make an image.
pub fn encode_png(height: usize, width: usize, channels: usize, pixels: &[u8]) -> Result<Vec<u8>> {
    let color = match channels {
        1 => png::ColorType::Grayscale,
        2 => png::ColorType::GrayscaleAlpha,
        3 => png::ColorType::Rgb,
        4 => png::ColorType::Rgba,
        n => return Err(invalid_argument(format!("an image must have 1 to 4 channels, got {n}"))),
    };
    let expected = height.checked_mul(width).and_then(|n| n.checked_mul(channels));
    if expected != Some(pixels.len()) || pixels.is_empty() {
        return Err(invalid_argument(format!("{} bytes are not an image of {height} x {width} pixels of {channels} bytes", pixels.len())));
    }
    let side = |n: usize| u32::try_from(n).map_err(|_| invalid_argument(format!("an image side of {n} pixels is too long")));
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, side(width)?, side(height)?);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(png_error)?;
    writer.write_image_data(pixels).map_err(png_error)?;
    writer.finish().map_err(png_error)?;
    Ok(out)
}

fn png_error(e: png::EncodingError) -> ferroflow_tensor::Error {
    internal(format!("PNG encoding failed: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    #[test]
    fn a_zero_scalar_is_present_on_the_wire() {
        assert_eq!(scalar("a", 0.0), b"\x0a\x08\x0a\x01a\x15\x00\x00\x00\x00");
    }

    #[test]
    fn an_image_decodes_to_the_same_pixels() {
        let pixels: Vec<u8> = (0..2 * 3 * 3).map(|i| i * 7).collect();
        let summary = parse(&image("im", 2, 3, 3, &pixels).unwrap()).unwrap();
        let Some(Kind::Image(image)) = &summary.value[0].value else { panic!("no image") };
        assert_eq!((image.height, image.width, image.colorspace), (2, 3, 3));
        let mut reader = png::Decoder::new(std::io::Cursor::new(&image.encoded_image_string[..])).read_info().unwrap();
        let mut decoded = vec![0; pixels.len()];
        reader.next_frame(&mut decoded).unwrap();
        assert_eq!(decoded, pixels);
    }

    #[test]
    fn numbers_that_make_no_image_are_refused() {
        for (h, w, c, len) in [(2, 2, 3, 11), (0, 2, 1, 0), (2, 2, 5, 20), (usize::MAX, 2, 1, 4), (2, 2, 0, 0)] {
            assert_eq!(image("im", h, w, c, &vec![0; len]).unwrap_err().code(), Code::InvalidArgument);
        }
    }

    #[test]
    fn merging_keeps_all_values_and_refuses_a_tag_twice() {
        let (a, b) = (scalar("a", 1.0), scalar("b", 2.0));
        assert_eq!(merge([&a[..], &b]).unwrap(), [a.clone(), b].concat());
        let e = merge([&a[..], &a]).unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
        assert!(e.message().starts_with("Duplicate tag a"), "{e}");
        assert_eq!(merge([&b"\xff"[..]]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn text_carries_its_plugin() {
        let summary = parse(&text("t", &["one", "two"]).unwrap()).unwrap();
        let value = &summary.value[0];
        assert_eq!(value.metadata.as_ref().unwrap().plugin_data.as_ref().unwrap().plugin_name, "text");
        let Some(Kind::Tensor(t)) = &value.value else { panic!("no tensor") };
        assert_eq!(ferroflow_tensor::from_proto(t).unwrap().as_strings().unwrap(), ["one", "two"]);
    }
}
