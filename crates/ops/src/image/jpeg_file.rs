//! JPEG files as pixels.
//!
//! The inverse cosine transform and the interpolation of colours may differ from libjpeg-turbo's in the last bits. Against TF's accurate
//! transform 99 % of all samples were equal or differed by at most 2, none by more than 5. TF's default is libjpeg's fast one, which is
//! itself up to 10 away from the accurate one; `dct_method` is accepted, and the accurate one used. A smaller image (`ratio`) is the mean
//! of whole blocks, where libjpeg leaves out high frequencies.

use super::image_file::Frames;
use super::png_file::MOST_SAMPLES;
use crate::prelude::*;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// How a file is to be read.
pub(super) struct Wanted {
    /// 0 are as many as the file has.
    pub(super) channels: usize,
    pub(super) ratio: usize,
    /// Whether the pixels of a file that has been cut are wanted, too.
    pub(super) recover: bool,
    /// First row and column, rows, columns.
    pub(super) crop: Option<[i32; 4]>,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { channels: 0, ratio: 1, recover: false, crop: None }
    }
}

impl Wanted {
    /// What the attributes of an op for JPEG files say.
    ///
    /// Errors: `InvalidArgument` for values that there are not.
    pub(super) fn read_attrs(&mut self, attrs: &AttrMap) -> Result<()> {
        self.ratio = match attrs.int("ratio")? {
            n @ (1 | 2 | 4 | 8) => n as usize,
            other => return Err(invalid_argument(format!("ratio must be 1, 2, 4, or 8, got {other}"))),
        };
        if !["", "INTEGER_FAST", "INTEGER_ACCURATE"].contains(&attrs.str("dct_method")?) {
            return Err(invalid_argument("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}"));
        }
        self.recover = attrs.bool("try_recover_truncated")?;
        Ok(())
    }
}

fn bad(e: impl std::fmt::Debug) -> ferroflow_tensor::Error {
    invalid_argument(format!("jpeg::Uncompress failed. Invalid JPEG data or crop window. ({e:?})"))
}

fn decoder(bytes: &[u8], space: Option<ColorSpace>, strict: bool) -> JpegDecoder<ZCursor<&[u8]>> {
    let options = DecoderOptions::default().set_strict_mode(strict).set_max_width(1 << 16).set_max_height(1 << 16);
    let options = space.map_or(options, |space| options.jpeg_set_out_colorspace(space));
    JpegDecoder::new_with_options(ZCursor::new(bytes), options)
}

/// Rows, columns and channels of a file.
///
/// Errors: `InvalidArgument` for what is none.
pub(super) fn size(bytes: &[u8]) -> Result<[usize; 3]> {
    let mut decoder = decoder(bytes, None, false);
    decoder.decode_headers().map_err(bad)?;
    let info = decoder.info().ok_or_else(|| bad("no header"))?;
    Ok([info.height as usize, info.width as usize, info.components as usize])
}

/// The pixels of a file.
///
/// Errors: `InvalidArgument` for what is none or has been cut, and for windows outside the image.
pub(super) fn read(bytes: &[u8], wanted: &Wanted) -> Result<Frames> {
    let [rows, columns, of_file] = size(bytes)?;
    let channels = match wanted.channels {
        0 if of_file == 1 => 1,
        0 => 3,
        n => n,
    };
    if rows as u64 * columns as u64 * channels as u64 >= MOST_SAMPLES || rows == 0 || columns == 0 {
        return Err(bad(format!("an image of {rows} rows and {columns} columns")));
    }
    // Without the mark of its end a file has been cut.
    if !wanted.recover && !bytes.windows(2).any(|pair| pair == [0xff, 0xd9]) {
        return Err(bad("premature end"));
    }
    let space = if channels == 1 { ColorSpace::Luma } else { ColorSpace::RGB };
    let samples = decoder(bytes, Some(space), !wanted.recover).decode().map_err(bad)?;
    if samples.len() != rows * columns * channels {
        return Err(bad("another number of pixels"));
    }
    let frames = smaller(Frames { count: 1, rows, columns, channels, samples }, wanted.ratio);
    match wanted.crop {
        Some(window) => cropped(&frames, window),
        None => Ok(frames),
    }
}

/// The means of squares of `ratio` pixels.
fn smaller(image: Frames, ratio: usize) -> Frames {
    if ratio == 1 {
        return image;
    }
    let (rows, columns, channels) = (image.rows.div_ceil(ratio), image.columns.div_ceil(ratio), image.channels);
    let mut samples = Vec::with_capacity(rows * columns * channels);
    for y in 0..rows {
        for x in 0..columns {
            for c in 0..channels {
                let (mut sum, mut n) = (0u32, 0u32);
                for y in y * ratio..image.rows.min((y + 1) * ratio) {
                    for x in x * ratio..image.columns.min((x + 1) * ratio) {
                        sum += u32::from(image.samples[(y * image.columns + x) * channels + c]);
                        n += 1;
                    }
                }
                samples.push(((sum + n / 2) / n.max(1)) as u8);
            }
        }
    }
    Frames { rows, columns, samples, ..image }
}

fn cropped(image: &Frames, window: [i32; 4]) -> Result<Frames> {
    let [Ok(y), Ok(x), Ok(rows), Ok(columns)] = window.map(usize::try_from) else { return Err(bad(window)) };
    if rows == 0 || columns == 0 || y + rows > image.rows || x + columns > image.columns {
        return Err(bad(window));
    }
    let line = |row: usize| &image.samples[((y + row) * image.columns + x) * image.channels..][..columns * image.channels];
    let samples = (0..rows).flat_map(line).copied().collect();
    Ok(Frames { count: 1, rows, columns, channels: image.channels, samples })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 19 rows of 21 columns: colours that rise to the right and down, and a red field; written by TensorFlow from our pixels.
    const FILE: &str = concat!(
        "/9j/4AAQSkZJRgABAQEBLAEsAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGB",
        "YUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAT",
        "ABUDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhBy",
        "JxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKT",
        "lJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAA",
        "AAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRom",
        "JygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExc",
        "bHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD4o8E/CqK6kKynyFVNwbZuycjjqPWvVfDvw0hEoSH97t6nbivU",
        "/DPwzyFBhzn2r1nwr8LY4iClsqE4yVXGa8zD4iu68Zqp7na36nvcF+IGT/2QsO6Mvrd9KnM+W11py3ttdbHkekfDP/Rv9V+lFfWOj/DP/Rf9V+",
        "lFfVxxmm5/RGG42/cx97ocz4Y0+2yn7la9b8MafbfJ+5WiivzzDN6H+VvBs5e7qep6Rp1t9lH7laKKK9+Ldkf1dhpy9jHXof/Z",
    );
    /// Every sixth row and fifth column as TensorFlow decodes it with INTEGER_ACCURATE.
    #[rustfmt::skip]
    const PIXELS: [u8; 60] = [
        0, 7, 1, 62, 1, 35, 111, 5, 54, 170, 6, 95, 231, 5, 117, 0, 76, 40, 186, 53, 44, 244, 17, 37, 175, 82, 129, 237, 79,
        153, 6, 154, 70, 52, 160, 100, 118, 158, 123, 179, 155, 168, 235, 158, 190, 11, 229, 109, 63, 230, 140, 125, 231,
        169, 184, 231, 199, 242, 231, 229,
    ];

    #[test]
    fn pixels_are_tensorflows_up_to_rounding() {
        let file = crate::string::base64::decode(FILE.replace('+', "-").replace('/', "_").as_bytes()).unwrap();
        let image = read(&file, &Wanted::default()).unwrap();
        assert_eq!((image.rows, image.columns, image.channels), (19, 21, 3));
        let sampled = (0..19).step_by(6).flat_map(|y| (0..21).step_by(5).map(move |x| (y * 21 + x) * 3)).flat_map(|at| at..at + 3);
        let worst = sampled.map(|at| image.samples[at]).zip(PIXELS).map(|(a, b)| a.abs_diff(b)).max().unwrap();
        assert!(worst <= 2, "{worst}");
        // Cut in its pixels it is read only on request.
        let cut = &file[..file.len() - 20];
        assert_eq!(read(cut, &Wanted::default()).err().map(|e| e.code()), Some(Code::InvalidArgument));
        assert!(read(cut, &Wanted { recover: true, ..Wanted::default() }).is_ok());
        let half = read(&file, &Wanted { ratio: 2, ..Wanted::default() }).unwrap();
        assert_eq!((half.rows, half.columns), (10, 11));
        let window = read(&file, &Wanted { crop: Some([2, 3, 10, 11]), ..Wanted::default() }).unwrap();
        assert_eq!(window.samples[..3], image.samples[(2 * 21 + 3) * 3..][..3]);
    }
}
