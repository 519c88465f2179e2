//! Convolution of images: TensorFlow's `Conv2D` and its two gradients, with images as [batch, rows, columns, depth]. The patches under the
//! window are laid out as rows of a matrix, a tile at a time that stays in the cache, and multiplied with the filter.

use half::{bf16, f16};
use std::ops::Range;

use crate::gemm::{GemmElement, MatrixRef, matmul};
use crate::parallel::{Inline, ParallelFor, for_each_part};

/// A window that moves over images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Number of images.
    pub batch: usize,
    /// Rows and columns of an image.
    pub image: [usize; 2],
    /// Numbers per pixel of an image.
    pub depth: usize,
    /// Rows and columns of the window.
    pub size: [usize; 2],
    /// Rows and columns of the result.
    pub out: [usize; 2],
    /// How far the window moves from one place of the result to the next; at least 1.
    pub stride: [usize; 2],
    /// How far the window's rows and columns stand apart; at least 1.
    pub dilation: [usize; 2],
    /// Rows above and columns left of the image over which the window reaches at first.
    pub pad: [usize; 2],
}

impl Window {
    /// Numbers in the images.
    pub fn input_len(&self) -> usize {
        self.batch * self.image[0] * self.image[1] * self.depth
    }

    /// Places in the results.
    pub fn places(&self) -> usize {
        self.batch * self.out[0] * self.out[1]
    }

    /// Numbers under the window.
    pub fn patch_len(&self) -> usize {
        self.size[0] * self.size[1] * self.depth
    }

    /// Image, row and column of a place.
    #[inline(always)]
    pub(crate) fn place(&self, place: usize) -> (usize, [usize; 2]) {
        let per_image = self.out[0] * self.out[1];
        (place / per_image, [place % per_image / self.out[1], place % self.out[1]])
    }

    /// Where element `i` of the window stands along `axis` when the window is at place `at`; `None` outside the image.
    #[inline(always)]
    fn source(&self, axis: usize, at: usize, i: usize) -> Option<usize> {
        (at * self.stride[axis] + i * self.dilation[axis]).checked_sub(self.pad[axis]).filter(|&x| x < self.image[axis])
    }

    /// The part of the image under an undilated window at place `at`, along `axis`.
    #[inline(always)]
    pub(crate) fn covered(&self, axis: usize, at: usize) -> Range<usize> {
        let start = at * self.stride[axis];
        let end = (start + self.size[axis]).saturating_sub(self.pad[axis]).min(self.image[axis]);
        start.saturating_sub(self.pad[axis]).min(end)..end
    }

    /// Which columns of a window at column `at` lie inside the image, and at which of the image's the first does; `None` where they do
    /// not lie side by side.
    #[inline(always)]
    fn inside(&self, at: usize) -> Option<(Range<usize>, usize)> {
        if self.dilation[1] != 1 {
            return None;
        }
        let covered = self.covered(1, at);
        let left = (covered.start + self.pad[1]).saturating_sub(at * self.stride[1]).min(self.size[1]);
        let right = (left + covered.len()).min(self.size[1]);
        Some((left..right, covered.start))
    }

    /// Whether the window is a single pixel that visits each pixel once, so that patches are the image itself.
    fn is_pointwise(&self) -> bool {
        self.size == [1, 1] && self.stride == [1, 1] && self.pad == [0, 0] && self.out == self.image
    }

    /// How many places a tile of patches has.
    fn tile(&self) -> usize {
        const ELEMENTS: usize = 32 * 1024;
        (ELEMENTS / self.patch_len().max(1)).max(16)
    }
}

/// An element type of images.
pub trait ConvElement: GemmElement {
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
}

macro_rules! conv_element {
    ($($t:ty: $plus:expr;)*) => {$(
        impl ConvElement for $t {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
        }
    )*};
}
conv_element! {
    f32: std::ops::Add::add;
    f64: std::ops::Add::add;
    f16: std::ops::Add::add;
    bf16: std::ops::Add::add;
    i32: i32::wrapping_add;
}

/// Lays out the patches at `places`, one row each; what lies outside the image is 0.
fn patches<T: Copy + Default>(w: &Window, x: &[T], places: Range<usize>, rows: &mut [T]) {
    let (depth, cols) = (w.depth, w.size[1]);
    for (place, patch) in places.zip(rows.chunks_exact_mut(w.patch_len())) {
        let (image, at) = w.place(place);
        let inside = w.inside(at[1]);
        for (i, line) in patch.chunks_exact_mut(cols * depth).enumerate() {
            let Some(row) = w.source(0, at[0], i) else {
                line.fill(T::default());
                continue;
            };
            let start = (image * w.image[0] + row) * w.image[1];
            match &inside {
                Some((covered, first)) => {
                    line[..covered.start * depth].fill(T::default());
                    line[covered.end * depth..].fill(T::default());
                    // A loop over the elements: lines are short, a call to copy each would cost more.
                    let from = &x[(start + first) * depth..][..covered.len() * depth];
                    line[covered.start * depth..covered.end * depth].iter_mut().zip(from).for_each(|(to, &from)| *to = from);
                }
                None => {
                    for (j, pixel) in line.chunks_exact_mut(depth).enumerate() {
                        match w.source(1, at[1], j) {
                            Some(col) => pixel.copy_from_slice(&x[(start + col) * depth..][..depth]),
                            None => pixel.fill(T::default()),
                        }
                    }
                }
            }
        }
    }
}

/// Adds patches at `places` to the images they came from. `first` is the first element of `x` in all images.
fn add_patches<T: ConvElement>(w: &Window, rows: &[T], places: Range<usize>, first: usize, x: &mut [T]) {
    let (depth, cols) = (w.depth, w.size[1]);
    let add = |x: &mut [T], patch: &[T]| x.iter_mut().zip(patch).for_each(|(x, &p)| *x = x.plus(p));
    for (place, patch) in places.zip(rows.chunks_exact(w.patch_len())) {
        let (image, at) = w.place(place);
        let inside = w.inside(at[1]);
        for (i, line) in patch.chunks_exact(cols * depth).enumerate() {
            let Some(row) = w.source(0, at[0], i) else { continue };
            let start = (image * w.image[0] + row) * w.image[1];
            match &inside {
                Some((covered, col)) => {
                    add(&mut x[(start + col) * depth - first..], &line[covered.start * depth..covered.end * depth]);
                }
                None => {
                    for (j, pixel) in line.chunks_exact(depth).enumerate() {
                        if let Some(col) = w.source(1, at[1], j) {
                            add(&mut x[(start + col) * depth - first..], pixel);
                        }
                    }
                }
            }
        }
    }
}

/// y[place, :] = patch(place) filter, for a filter of `w.patch_len()` rows and `out_depth` columns. Panics when a length does not fit.
pub fn conv2d<T: ConvElement>(pool: &dyn ParallelFor, w: &Window, x: &[T], filter: &[T], out_depth: usize, y: &mut [T]) {
    let k = w.patch_len();
    assert_eq!((x.len(), filter.len(), y.len()), (w.input_len(), k * out_depth, w.places() * out_depth));
    if y.is_empty() {
        return;
    }
    let filter = MatrixRef::new(filter, k, out_depth);
    if w.is_pointwise() || k == 0 {
        return matmul(pool, MatrixRef::new(if k == 0 { &[] } else { x }, w.places(), k), filter, y, false);
    }
    let tile = w.tile().min(w.places());
    for_each_part(pool, y, w.places(), tile, &|places, y| {
        let mut rows = vec![T::default(); tile.min(places.len()) * k];
        for start in places.clone().step_by(tile) {
            let part = start..(start + tile).min(places.end);
            let rows = &mut rows[..part.len() * k];
            patches(w, x, part.clone(), rows);
            let y = &mut y[(start - places.start) * out_depth..][..part.len() * out_depth];
            matmul(&Inline, MatrixRef::new(rows, part.len(), k), filter, y, false);
        }
    });
}

/// dx = the gradient of [`conv2d`] by the images, from dy, that by the result. Panics when a length does not fit.
pub fn conv2d_backprop_input<T: ConvElement>(pool: &dyn ParallelFor, w: &Window, filter: &[T], out_depth: usize, dy: &[T], dx: &mut [T]) {
    let k = w.patch_len();
    assert_eq!((dx.len(), filter.len(), dy.len()), (w.input_len(), k * out_depth, w.places() * out_depth));
    dx.fill(T::default());
    if dx.is_empty() || dy.is_empty() || k == 0 {
        return;
    }
    let filter = MatrixRef::new(filter, k, out_depth).transposed();
    let (per_image, image_len) = (w.out[0] * w.out[1], dx.len() / w.batch);
    let tile = w.tile().min(per_image);
    for_each_part(pool, dx, w.batch, 1, &|images, dx| {
        let mut rows = vec![T::default(); tile * k];
        let end = images.end * per_image;
        for start in (images.start * per_image..end).step_by(tile) {
            let part = start..(start + tile).min(end);
            let rows = &mut rows[..part.len() * k];
            let dy = &dy[start * out_depth..part.end * out_depth];
            matmul(&Inline, MatrixRef::new(dy, part.len(), out_depth), filter, rows, false);
            add_patches(w, rows, part, images.start * image_len, dx);
        }
    });
}

/// df = the gradient of [`conv2d`] by the filter, from dy, that by the result. Panics when a length does not fit.
pub fn conv2d_backprop_filter<T: ConvElement>(pool: &dyn ParallelFor, w: &Window, x: &[T], out_depth: usize, dy: &[T], df: &mut [T]) {
    let k = w.patch_len();
    assert_eq!((x.len(), df.len(), dy.len()), (w.input_len(), k * out_depth, w.places() * out_depth));
    df.fill(T::default());
    if df.is_empty() || dy.is_empty() {
        return;
    }
    if w.is_pointwise() {
        let (x, dy) = (MatrixRef::new(x, w.places(), k), MatrixRef::new(dy, w.places(), out_depth));
        return matmul(pool, x.transposed(), dy, df, false);
    }
    // A product adds up along the places; long ones make it worth spreading over the threads.
    let tile = (w.tile() * 8).min(w.places());
    let mut rows = vec![T::default(); tile * k];
    for start in (0..w.places()).step_by(tile) {
        let part = start..(start + tile).min(w.places());
        let rows = &mut rows[..part.len() * k];
        for_each_part(pool, rows, part.len(), w.tile(), &|places, rows| {
            patches(w, x, start + places.start..start + places.end, rows);
        });
        let dy = MatrixRef::new(&dy[start * out_depth..part.end * out_depth], part.len(), out_depth);
        matmul(pool, MatrixRef::new(rows, part.len(), k).transposed(), dy, df, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::tests::Threads;
    use crate::sample::Sample;

    fn windows() -> Vec<Window> {
        let plain = Window { batch: 3, image: [7, 6], depth: 2, size: [3, 2], out: [5, 5], stride: [1, 1], dilation: [1, 1], pad: [0, 0] };
        vec![
            plain,
            Window { size: [1, 1], out: [7, 6], ..plain },
            Window { stride: [2, 3], out: [4, 2], pad: [1, 0], ..plain },
            Window { dilation: [2, 3], out: [5, 5], pad: [1, 1], ..plain },
            Window { batch: 0, ..plain },
            Window { image: [0, 2], out: [2, 2], size: [1, 1], pad: [1, 1], ..plain },
            Window { image: [40, 40], out: [40, 40], size: [5, 5], pad: [2, 2], ..plain },
        ]
    }

    /// Calls `each` with the indices of every product that takes part: image, filter, result.
    fn products(w: &Window, out_depth: usize, mut each: impl FnMut(usize, usize, usize)) {
        for place in 0..w.places() {
            let (image, at) = w.place(place);
            for i in 0..w.size[0] {
                for j in 0..w.size[1] {
                    let (Some(r), Some(c)) = (w.source(0, at[0], i), w.source(1, at[1], j)) else { continue };
                    for d in 0..w.depth {
                        for o in 0..out_depth {
                            let x = ((image * w.image[0] + r) * w.image[1] + c) * w.depth + d;
                            each(x, ((i * w.size[1] + j) * w.depth + d) * out_depth + o, place * out_depth + o);
                        }
                    }
                }
            }
        }
    }

    fn assert_close(a: &[f64], b: &[f64]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
    }

    #[test]
    fn results_are_those_of_the_definition() {
        let mut sample = Sample::new(5);
        for w in windows() {
            let n = 3;
            let (x, filter, dy) = (sample.f64s(w.input_len()), sample.f64s(w.patch_len() * n), sample.f64s(w.places() * n));
            let (mut y, mut dx, mut df) = (vec![0.0; dy.len()], vec![0.0; x.len()], vec![0.0; filter.len()]);
            products(&w, n, |i, f, o| {
                y[o] += x[i] * filter[f];
                dx[i] += dy[o] * filter[f];
                df[f] += dy[o] * x[i];
            });
            let pool = Threads(3);
            let mut got = vec![9.0; y.len()];
            conv2d(&pool, &w, &x, &filter, n, &mut got);
            assert_close(&got, &y);
            let mut got = vec![9.0; x.len()];
            conv2d_backprop_input(&pool, &w, &filter, n, &dy, &mut got);
            assert_close(&got, &dx);
            let mut got = vec![9.0; filter.len()];
            conv2d_backprop_filter(&pool, &w, &x, n, &dy, &mut got);
            assert_close(&got, &df);
        }
    }
}
