//! PNG files as pixels.

use crate::prelude::*;
use ferroflow_tensor::error::unimplemented as not_supported;
use png::{BitDepth, Decoder, Transformations};
use std::io::Cursor;

/// From so many samples on an image is refused, as TensorFlow does: a few bytes can claim to be any size.
pub(super) const MOST_SAMPLES: u64 = 1 << 29;

/// The pixels of a file, 16 bits for each channel.
pub(super) struct Pixels {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) channels: usize,
    pub(super) samples: Vec<u16>,
    /// Whether the file has 16 bits for each.
    pub(super) is_deep: bool,
}

/// The pixels of a PNG file.
///
/// Errors: `InvalidArgument` for what is none, or has too many pixels.
pub(super) fn read(bytes: &[u8]) -> Result<Pixels> {
    let bad = |e: png::DecodingError| invalid_argument(format!("Invalid PNG data, size {}: {e}", bytes.len()));
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
    pub(super) fn with_channels(self, wanted: usize) -> Result<Pixels> {
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
