//! Pooling of images: TensorFlow's `MaxPool` and `AvgPool` and their gradients, with images as [batch, rows, columns, depth]. What
//! the window covers outside the image does not count.

use half::{bf16, f16};
use num_traits::{AsPrimitive, Zero};

use crate::conv::Window;
use crate::number::{Floating, Real};
use crate::parallel::{ParallelFor, for_each_part};

/// An element type of images whose largest elements are looked for.
pub trait PoolElement: Copy + Default + PartialOrd + Send + Sync + 'static {
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
}

macro_rules! pool_element {
    ($($t:ty: $plus:expr;)*) => {$(
        impl PoolElement for $t {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
        }
    )*};
}
pool_element! {
    f32: std::ops::Add::add;
    f64: std::ops::Add::add;
    f16: std::ops::Add::add;
    bf16: std::ops::Add::add;
    i8: i8::wrapping_add;
    i16: i16::wrapping_add;
    i32: i32::wrapping_add;
    i64: i64::wrapping_add;
    u8: u8::wrapping_add;
    u16: u16::wrapping_add;
    u32: u32::wrapping_add;
    u64: u64::wrapping_add;
}

/// Elements that a task takes at least.
const GRAIN: usize = 4 * 1024;

fn grain(w: &Window) -> usize {
    GRAIN.div_ceil((w.size[0] * w.size[1] * w.depth).max(1))
}

/// Calls `pixel` with the start of each pixel under the window at `place`, in order.
#[inline(always)]
fn for_each_pixel(w: &Window, place: usize, mut pixel: impl FnMut(usize)) {
    let (image, at) = w.place(place);
    for row in w.covered(0, at[0]) {
        for col in w.covered(1, at[1]) {
            pixel(((image * w.image[0] + row) * w.image[1] + col) * w.depth);
        }
    }
}

/// How many pixels the window covers at `place`.
fn covered(w: &Window, place: usize) -> usize {
    let (_, at) = w.place(place);
    w.covered(0, at[0]).len() * w.covered(1, at[1]).len()
}

/// Whether `x` takes the place of `best`: it is larger, or the first number that is one.
#[inline(always)]
fn beats<T: PartialOrd>(x: T, best: T) -> bool {
    // A value that does not compare with itself is NaN.
    x > best || (best.partial_cmp(&best).is_none() && x.partial_cmp(&x).is_some())
}

/// y[place, :] = the largest elements under the window, NaN passed over; 0 where it covers nothing. Panics when a length does not fit.
pub fn max_pool<T: PoolElement>(pool: &dyn ParallelFor, w: &Window, x: &[T], y: &mut [T]) {
    assert_eq!((x.len(), y.len()), (w.input_len(), w.places() * w.depth));
    if y.is_empty() {
        return;
    }
    for_each_part(pool, y, w.places(), grain(w), &|places, y| {
        for (place, y) in places.zip(y.chunks_exact_mut(w.depth)) {
            let mut first = true;
            y.fill(T::default());
            for_each_pixel(w, place, |start| {
                for (y, &x) in y.iter_mut().zip(&x[start..]) {
                    if first || beats(x, *y) {
                        *y = x;
                    }
                }
                first = false;
            });
        }
    });
}

/// dx = the gradient of [`max_pool`] at x, from dy, that by the result: it goes to the first of the largest elements. Panics when a length
/// does not fit.
pub fn max_pool_grad<T: PoolElement>(pool: &dyn ParallelFor, w: &Window, x: &[T], dy: &[T], dx: &mut [T]) {
    assert_eq!((x.len(), dx.len(), dy.len()), (w.input_len(), w.input_len(), w.places() * w.depth));
    dx.fill(T::default());
    if dx.is_empty() || dy.is_empty() {
        return;
    }
    let (per_image, image_len) = (w.out[0] * w.out[1], dx.len() / w.batch);
    for_each_part(pool, dx, w.batch, 1, &|images, dx| {
        let first = images.start * image_len;
        let mut best = vec![0; w.depth];
        for place in images.start * per_image..images.end * per_image {
            let mut any = false;
            for_each_pixel(w, place, |start| {
                for (d, best) in best.iter_mut().enumerate() {
                    if !any || beats(x[start + d], x[*best]) {
                        *best = start + d;
                    }
                }
                any = true;
            });
            if any {
                for (&best, &dy) in best.iter().zip(&dy[place * w.depth..]) {
                    dx[best - first] = dx[best - first].plus(dy);
                }
            }
        }
    });
}

/// y[place, :] = the mean of what the window covers. Panics when a length does not fit.
pub fn avg_pool<T: Floating>(pool: &dyn ParallelFor, w: &Window, x: &[T], y: &mut [T]) {
    assert_eq!((x.len(), y.len()), (w.input_len(), w.places() * w.depth));
    if y.is_empty() {
        return;
    }
    for_each_part(pool, y, w.places(), grain(w), &|places, y| {
        let mut sum = vec![T::Wide::zero(); w.depth];
        for (place, y) in places.zip(y.chunks_exact_mut(w.depth)) {
            sum.fill(T::Wide::zero());
            for_each_pixel(w, place, |start| {
                for (sum, x) in sum.iter_mut().zip(&x[start..]) {
                    *sum += x.widen();
                }
            });
            let count = T::Wide::of(covered(w, place).as_());
            for (y, &sum) in y.iter_mut().zip(&sum) {
                *y = T::narrow(sum / count);
            }
        }
    });
}

/// dx = the gradient of [`avg_pool`], from dy, that by the result. Panics when a length does not fit.
pub fn avg_pool_grad<T: Floating>(pool: &dyn ParallelFor, w: &Window, dy: &[T], dx: &mut [T]) {
    assert_eq!((dx.len(), dy.len()), (w.input_len(), w.places() * w.depth));
    dx.fill(T::default());
    if dx.is_empty() || dy.is_empty() {
        return;
    }
    let (per_image, image_len) = (w.out[0] * w.out[1], dx.len() / w.batch);
    for_each_part(pool, dx, w.batch, 1, &|images, dx| {
        let first = images.start * image_len;
        for place in images.start * per_image..images.end * per_image {
            let count = T::Wide::of(covered(w, place).as_());
            for_each_pixel(w, place, |start| {
                for (dx, dy) in dx[start - first..].iter_mut().zip(&dy[place * w.depth..][..w.depth]) {
                    *dx = T::narrow(dx.widen() + dy.widen() / count);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Inline;
    use crate::parallel::tests::Threads;

    /// One row of four pixels; windows of three, two apart, the first reaches one over the edge.
    fn window(batch: usize) -> Window {
        Window { batch, image: [1, 4], depth: 1, size: [1, 3], out: [1, 2], stride: [1, 2], dilation: [1, 1], pad: [0, 1] }
    }

    #[test]
    fn what_lies_outside_the_image_does_not_count() {
        let mut y = [0f32; 2];
        max_pool(&Inline, &window(1), &[-4f32, -3.0, -2.0, -1.0], &mut y);
        assert_eq!(y, [-3.0, -1.0]);
        avg_pool(&Inline, &window(1), &[1f32, 2.0, 3.0, 7.0], &mut y);
        assert_eq!(y, [1.5, 4.0]);
    }

    #[test]
    fn the_first_of_equal_elements_gets_the_gradient() {
        let mut dx = [9i32; 8];
        max_pool_grad(&Threads(2), &window(2), &[5, 5, 5, 1, 0, 1, 2, 3], &[10, 1, 20, 2], &mut dx);
        assert_eq!(dx, [10, 1, 0, 0, 0, 20, 0, 2]);
        let mut dx = [0f64; 4];
        avg_pool_grad(&Inline, &window(1), &[2.0, 3.0], &mut dx);
        assert_eq!(dx, [1.0, 2.0, 1.0, 1.0]);
    }

    #[test]
    fn not_a_number_is_passed_over() {
        let mut y = [0f32; 2];
        max_pool(&Inline, &window(1), &[f32::NAN, 1.0, f32::NAN, f32::NAN], &mut y);
        assert_eq!(y, [1.0, 1.0]);
        max_pool(&Inline, &window(1), &[f32::NAN, f32::NAN, 0.0, 1.0], &mut y);
        assert!(y[0].is_nan() && y[1] == 1.0);
    }

    #[test]
    fn a_window_that_covers_nothing_gives_zero() {
        let w = Window { image: [0, 4], pad: [1, 1], ..window(1) };
        let mut y = [7u8; 2];
        max_pool(&Inline, &w, &[], &mut y);
        assert_eq!(y, [0, 0]);
    }
}
