//! BMP files as pixels: uncompressed ones of 8 (gray), 24 or 32 bits, as TF reads them.

use super::image_file::Frames;
use super::png_file::MOST_SAMPLES;
use crate::prelude::*;

/// What is read of the header.
const HEADER: usize = 32;

/// The pixels of a file with this many channels; 0 are as many as it has.
///
/// Errors: `InvalidArgument` for damaged or other files.
pub(super) fn read(bytes: &[u8], channels: usize) -> Result<Frames> {
    let Some(header) = bytes.get(..HEADER) else {
        return Err(invalid_argument(format!(
            "Incomplete bmp content, requires at least {HEADER} bytes to find the header size, width, height, and bpp, got {} bytes",
            bytes.len()
        )));
    };
    let number = |at: usize| i32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (start, width, height) = (number(10), number(18), number(22));
    let bits = i16::from_le_bytes([header[28], header[29]]);
    let of_file = match bits {
        8 | 24 | 32 => bits as usize / 8,
        other => return Err(invalid_argument(format!("Number of channels inferred from bits per pixel {other} must be 1, 3 or 4"))),
    };
    let channels = if channels == 0 { of_file } else { channels };
    let (Ok(start), Ok(columns)) = (usize::try_from(start), usize::try_from(width)) else {
        return Err(invalid_argument(format!("Header size and width of a bmp file must not be negative, got {start} and {width}")));
    };
    let rows = height.unsigned_abs() as usize;
    if columns == 0 || rows == 0 {
        return Err(invalid_argument(format!("Width and height of a bmp file must not be 0, got {width} and {height}")));
    }
    if columns as u64 * rows as u64 * channels.max(of_file) as u64 >= MOST_SAMPLES {
        return Err(invalid_argument(format!("Total possible pixel bytes must be less than {MOST_SAMPLES}, got {rows} by {columns}")));
    }
    let row = (columns * of_file).next_multiple_of(4);
    // The last row may lack what fills it up.
    let needed = start + row * (rows - 1) + columns * of_file;
    if bytes.len() < needed {
        return Err(invalid_argument(format!(
            "Input size should match (header_size + row_size * abs_height) but they differ by {}",
            bytes.len() as i64 - (start + row * rows) as i64
        )));
    }
    let mut samples = Vec::with_capacity(rows * columns * channels);
    for y in 0..rows {
        // From below, unless the height is negative.
        let line = if height < 0 { y } else { rows - 1 - y };
        for pixel in bytes[start + line * row..][..columns * of_file].chunks_exact(of_file) {
            let color = if of_file == 1 { [pixel[0]; 3] } else { [pixel[2], pixel[1], pixel[0]] };
            samples.extend_from_slice(if channels == 1 { &color[..1] } else { &color });
            if channels == 4 {
                samples.push(if of_file == 4 { pixel[3] } else { 255 });
            }
        }
    }
    Ok(Frames { count: 1, rows, columns, channels, samples })
}
