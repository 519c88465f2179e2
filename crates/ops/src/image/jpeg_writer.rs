//! A writer of baseline JPEG files: 8×8 blocks, the quantisation and Huffman tables of the standard's annex K, colours of full or half
//! resolution.
//!
//! Own code, for want of a small library under a licence that we take. TF's files differ in their bytes (libjpeg rounds elsewhere, and can
//! write scans that refine each other); what they decode to does not, up to the last bits.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

/// In which order the coefficients of a block are written.
#[rustfmt::skip]
const ZIGZAG: [usize; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
];
/// Steps of brightness at quality 50.
#[rustfmt::skip]
const LUMINANCE: [u32; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];
/// Steps of colour at quality 50.
#[rustfmt::skip]
const CHROMINANCE: [u32; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99,
];

/// How many codes there are of each length from 1 bit on, and what they mean.
type Codes = ([u8; 16], &'static [u8]);
#[rustfmt::skip]
const DC_LUMINANCE: Codes = (
    [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
    &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ],
);
#[rustfmt::skip]
const DC_CHROMINANCE: Codes = (
    [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
    &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ],
);
#[rustfmt::skip]
const AC_LUMINANCE: Codes = (
    [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
    &[
        1, 2, 3, 0, 4, 17, 5, 18, 33, 49, 65, 6, 19, 81, 97, 7, 34, 113, 20, 50, 129, 145, 161, 8, 35, 66, 177, 193, 21, 82,
        209, 240, 36, 51, 98, 114, 130, 9, 10, 22, 23, 24, 25, 26, 37, 38, 39, 40, 41, 42, 52, 53, 54, 55, 56, 57, 58, 67,
        68, 69, 70, 71, 72, 73, 74, 83, 84, 85, 86, 87, 88, 89, 90, 99, 100, 101, 102, 103, 104, 105, 106, 115, 116, 117,
        118, 119, 120, 121, 122, 131, 132, 133, 134, 135, 136, 137, 138, 146, 147, 148, 149, 150, 151, 152, 153, 154, 162,
        163, 164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184, 185, 186, 194, 195, 196, 197, 198, 199,
        200, 201, 202, 210, 211, 212, 213, 214, 215, 216, 217, 218, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 241,
        242, 243, 244, 245, 246, 247, 248, 249, 250,
    ],
);
#[rustfmt::skip]
const AC_CHROMINANCE: Codes = (
    [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
    &[
        0, 1, 2, 3, 17, 4, 5, 33, 49, 6, 18, 65, 81, 7, 97, 113, 19, 34, 50, 129, 8, 20, 66, 145, 161, 177, 193, 9, 35, 51,
        82, 240, 21, 98, 114, 209, 10, 22, 36, 52, 225, 37, 241, 23, 24, 25, 26, 38, 39, 40, 41, 42, 53, 54, 55, 56, 57, 58,
        67, 68, 69, 70, 71, 72, 73, 74, 83, 84, 85, 86, 87, 88, 89, 90, 99, 100, 101, 102, 103, 104, 105, 106, 115, 116,
        117, 118, 119, 120, 121, 122, 130, 131, 132, 133, 134, 135, 136, 137, 138, 146, 147, 148, 149, 150, 151, 152, 153,
        154, 162, 163, 164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184, 185, 186, 194, 195, 196, 197,
        198, 199, 200, 201, 202, 210, 211, 212, 213, 214, 215, 216, 217, 218, 226, 227, 228, 229, 230, 231, 232, 233, 234,
        242, 243, 244, 245, 246, 247, 248, 249, 250,
    ],
);

/// What a file says besides its pixels, and how exact they are.
pub(super) struct Settings<'a> {
    /// From 1, the coarsest, to 100.
    pub(super) quality: u32,
    /// Whether colours have half the rows and columns.
    pub(super) half_colors: bool,
    /// 1: pixels per inch, 2: per centimetre.
    pub(super) density_unit: u8,
    pub(super) density: [u16; 2],
    pub(super) xmp: &'a [u8],
}

/// Codes and their lengths by what they mean.
fn table((counts, meanings): &Codes) -> [(u16, u8); 256] {
    let mut table = [(0, 0); 256];
    let (mut code, mut next) = (0u16, meanings.iter());
    for (length, &count) in (1..).zip(counts) {
        for meaning in next.by_ref().take(count as usize) {
            table[*meaning as usize] = (code, length);
            code += 1;
        }
        code <<= 1;
    }
    table
}

/// Bits, with a zero byte behind each byte of ones.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u32, length: u8) {
        self.held = self.held << length | value & ((1 << length) - 1);
        self.count += u32::from(length);
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.held >> self.count) as u8;
            self.bytes.push(byte);
            if byte == 0xff {
                self.bytes.push(0);
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.put(0x7f, 7);
        self.bytes
    }
}

/// A component: its samples, padded to whole blocks, and how it is coded.
struct Component {
    samples: Vec<f32>,
    /// Blocks in a line.
    width: usize,
    /// Blocks of a unit, each way.
    blocks: usize,
    steps: [f32; 64],
    dc: [(u16, u8); 256],
    ac: [(u16, u8); 256],
    last: i32,
}

/// The cosine transform's factors: of frequency `u` at place `x`.
fn cosines() -> [[f32; 8]; 8] {
    std::array::from_fn(|u| {
        let scale = if u == 0 { FRAC_1_SQRT_2 } else { 1.0 } / 2.0;
        std::array::from_fn(|x| scale * ((2 * x + 1) as f32 * u as f32 * PI / 16.0).cos())
    })
}

/// How many bits a number takes.
fn magnitude(n: i32) -> u8 {
    (32 - n.unsigned_abs().leading_zeros()) as u8
}

/// The bits of a number of this magnitude: negative ones less 1.
fn tail(n: i32) -> u32 {
    (if n < 0 { n - 1 } else { n }) as u32
}

impl Component {
    /// Writes the block that begins at this block of lines and columns.
    fn write(&mut self, bits: &mut Bits, cosines: &[[f32; 8]; 8], line: usize, column: usize) {
        let row = self.width * 8;
        let at = |y: usize, x: usize| self.samples[(line * 8 + y) * row + column * 8 + x] - 128.0;
        let rows: [[f32; 8]; 8] = std::array::from_fn(|y| std::array::from_fn(|u| (0..8).map(|x| at(y, x) * cosines[u][x]).sum()));
        let mut quantised = [0i32; 64];
        for (place, &k) in quantised.iter_mut().zip(&ZIGZAG) {
            let (v, u) = (k / 8, k % 8);
            let coefficient: f32 = (0..8).map(|y| rows[y][u] * cosines[v][y]).sum();
            *place = (coefficient / self.steps[k]).round() as i32;
        }
        let change = quantised[0] - self.last;
        self.last = quantised[0];
        let code = |bits: &mut Bits, (code, length): (u16, u8)| bits.put(u32::from(code), length);
        code(bits, self.dc[magnitude(change) as usize]);
        bits.put(tail(change), magnitude(change));
        let mut zeros = 0;
        for &n in &quantised[1..] {
            if n == 0 {
                zeros += 1;
                continue;
            }
            while zeros > 15 {
                code(bits, self.ac[0xf0]);
                zeros -= 16;
            }
            code(bits, self.ac[zeros << 4 | magnitude(n) as usize]);
            bits.put(tail(n), magnitude(n));
            zeros = 0;
        }
        if zeros > 0 {
            code(bits, self.ac[0]);
        }
    }
}

/// A segment with its length.
fn segment(file: &mut Vec<u8>, marker: u8, payload: &[u8]) {
    file.extend_from_slice(&[0xff, marker]);
    file.extend_from_slice(&(payload.len() as u16 + 2).to_be_bytes());
    file.extend_from_slice(payload);
}

/// A file of `rows` × `columns` pixels (each at most 65535, at least 1) of 1 or 3 channels.
pub(super) fn encode(pixels: &[u8], rows: usize, columns: usize, channels: usize, settings: &Settings) -> Vec<u8> {
    let scale = if settings.quality < 50 { 5000 / settings.quality.max(1) } else { 200 - 2 * settings.quality.min(100) };
    let steps = |base: &[u32; 64]| base.map(|s| ((s * scale + 50) / 100).clamp(1, 255));
    let tables = [steps(&LUMINANCE), steps(&CHROMINANCE)];
    let unit = if channels == 3 && settings.half_colors { 2 } else { 1 };
    let (lines, across) = (rows.div_ceil(8 * unit), columns.div_ceil(8 * unit));
    let plane = |c: usize| -> Component {
        let blocks = if c == 0 { unit } else { 1 };
        let (height, width) = (lines * blocks * 8, across * blocks * 8);
        let shrunk = unit / blocks;
        let value = |y: usize, x: usize| {
            let at = (y.min(rows - 1) * columns + x.min(columns - 1)) * channels;
            if channels == 1 {
                return f32::from(pixels[at]);
            }
            let [r, g, b] = [0, 1, 2].map(|i| f32::from(pixels[at + i]));
            match c {
                0 => 0.299 * r + 0.587 * g + 0.114 * b,
                1 => -0.168_735_89 * r - 0.331_264_1 * g + 0.5 * b + 128.0,
                _ => 0.5 * r - 0.418_687_6 * g - 0.081_312_41 * b + 128.0,
            }
        };
        let mut samples = Vec::with_capacity(height * width);
        for y in 0..height {
            for x in 0..width {
                let mean: f32 = (0..shrunk * shrunk).map(|k| value(y * shrunk + k / shrunk, x * shrunk + k % shrunk)).sum();
                samples.push(mean / (shrunk * shrunk) as f32);
            }
        }
        let (dc, ac) = if c == 0 { (&DC_LUMINANCE, &AC_LUMINANCE) } else { (&DC_CHROMINANCE, &AC_CHROMINANCE) };
        let steps = tables[c.min(1)].map(|s| s as f32);
        Component { samples, width: across * blocks, blocks, steps, dc: table(dc), ac: table(ac), last: 0 }
    };
    let mut components: Vec<Component> = (0..channels).map(plane).collect();

    let mut file = vec![0xff, 0xd8];
    let [x, y] = settings.density.map(u16::to_be_bytes);
    segment(&mut file, 0xe0, &[&b"JFIF\0\x01\x01"[..], &[settings.density_unit], &x, &y, &[0, 0]].concat());
    if !settings.xmp.is_empty() {
        segment(&mut file, 0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", settings.xmp].concat());
    }
    for (i, table) in tables.iter().enumerate().take(channels.min(2)) {
        let steps: Vec<u8> = ZIGZAG.iter().map(|&k| table[k] as u8).collect();
        segment(&mut file, 0xdb, &[&[i as u8][..], &steps].concat());
    }
    let mut frame = vec![8];
    frame.extend_from_slice(&(rows as u16).to_be_bytes());
    frame.extend_from_slice(&(columns as u16).to_be_bytes());
    frame.push(channels as u8);
    let mut scan = vec![channels as u8];
    for (c, component) in components.iter().enumerate() {
        let which = u8::from(c > 0);
        frame.extend_from_slice(&[c as u8 + 1, (component.blocks << 4 | component.blocks) as u8, which]);
        scan.extend_from_slice(&[c as u8 + 1, which << 4 | which]);
    }
    segment(&mut file, 0xc0, &frame);
    for (id, (counts, meanings)) in [(0, DC_LUMINANCE), (0x10, AC_LUMINANCE), (1, DC_CHROMINANCE), (0x11, AC_CHROMINANCE)] {
        if channels == 3 || id & 1 == 0 {
            segment(&mut file, 0xc4, &[&[id][..], &counts, meanings].concat());
        }
    }
    scan.extend_from_slice(&[0, 63, 0]);
    segment(&mut file, 0xda, &scan);
    let (mut bits, cosines) = (Bits::default(), cosines());
    for line in 0..lines {
        for column in 0..across {
            for component in &mut components {
                let n = component.blocks;
                for k in 0..n * n {
                    component.write(&mut bits, &cosines, line * n + k / n, column * n + k % n);
                }
            }
        }
    }
    file.extend(bits.finish());
    file.extend_from_slice(&[0xff, 0xd9]);
    file
}

#[cfg(test)]
mod tests {
    use super::super::jpeg_file::{Wanted, read, size};
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_nearly() {
        for (rows, columns, channels) in [(19, 21, 3), (8, 8, 1), (1, 1, 3), (17, 5, 1), (64, 40, 3)] {
            let smooth = |y: usize, x: usize, c: usize| (y * 2 + x + c * 40) as u8;
            let pixels: Vec<u8> =
                (0..rows * columns * channels).map(|i| smooth(i / channels / columns, i / channels % columns, i % channels)).collect();
            for (quality, half_colors, most) in [(100, false, 3), (95, true, 14), (40, false, 30)] {
                let settings = Settings { quality, half_colors, density_unit: 1, density: [300, 300], xmp: b"<x/>" };
                let file = encode(&pixels, rows, columns, channels, &settings);
                assert_eq!(size(&file).unwrap(), [rows, columns, channels]);
                let back = read(&file, &Wanted::default()).unwrap();
                let worst = back.samples.iter().zip(&pixels).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                assert!(worst <= most, "{rows} x {columns} x {channels} at {quality}: {worst}");
            }
        }
    }
}
