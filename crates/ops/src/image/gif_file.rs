//! GIF files as frames, put together as TF does it: each over the one before, whatever the file says about disposal.

use super::image_file::Frames;
use super::png_file::MOST_SAMPLES;
use crate::prelude::*;
use gif::{ColorOutput, DecodeOptions, Frame};

/// The frames of a file. Those that cannot be read end the animation.
///
/// Errors: `InvalidArgument` without any frame, or for too many pixels.
pub(super) fn read(bytes: &[u8]) -> Result<Frames> {
    let bad = |e: &dyn std::fmt::Display| invalid_argument(format!("Invalid GIF data (size {}): {e}", bytes.len()));
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    let mut decoder = options.read_info(bytes).map_err(|e| bad(&e))?;
    let global = decoder.global_palette().map(<[u8]>::to_vec);
    let mut all: Vec<Frame<'static>> = Vec::new();
    let mut total = 0u64;
    loop {
        match decoder.read_next_frame() {
            Ok(Some(frame)) => {
                total += u64::from(frame.width) * u64::from(frame.height) * 3;
                if total >= MOST_SAMPLES {
                    return Err(bad(&"too many pixels"));
                }
                all.push(frame.clone());
            }
            Ok(None) => break,
            Err(e) if all.is_empty() => return Err(bad(&e)),
            Err(_) => break,
        }
    }
    // As large as the largest frame, not as the screen.
    let largest = |of: fn(&Frame) -> u16| all.iter().map(of).max().unwrap_or(0) as usize;
    let (columns, rows) = (largest(|f| f.width), largest(|f| f.height));
    let size = rows * columns * 3;
    if size == 0 {
        return Err(bad(&"it has no pixels"));
    }
    if (size as u64).saturating_mul(all.len() as u64) >= MOST_SAMPLES {
        return Err(bad(&"too many pixels"));
    }
    let mut samples = Vec::with_capacity(size * all.len());
    for frame in &all {
        let before = samples.len().saturating_sub(size);
        if samples.is_empty() {
            samples.resize(size, 0);
        } else {
            samples.extend_from_within(before..);
        }
        let begin = samples.len() - size;
        let canvas = &mut samples[begin..];
        let Some(palette) = frame.palette.as_ref().or(global.as_ref()) else { return Err(bad(&"missing color map")) };
        for (y, line) in frame.buffer.chunks_exact(frame.width.max(1) as usize).enumerate() {
            let y = y + frame.top as usize;
            for (x, &index) in line.iter().enumerate() {
                let x = x + frame.left as usize;
                if y >= rows || x >= columns || frame.transparent == Some(index) {
                    continue;
                }
                let color = palette.get(index as usize * 3..index as usize * 3 + 3).unwrap_or(&[0, 0, 0]);
                canvas[(y * columns + x) * 3..][..3].copy_from_slice(color);
            }
        }
    }
    Ok(Frames { count: all.len(), rows, columns, channels: 3, samples })
}
