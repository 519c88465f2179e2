//! Reordering dimensions, TensorFlow's `Transpose`. Neighbours that stay together are merged; what stays innermost is copied in runs,
//! and otherwise square blocks keep both sides in the cache.

use half::{bf16, f16};
use num_complex::Complex;
use smallvec::SmallVec;

use crate::parallel::{ParallelFor, for_each_part};

/// An element type that can be moved around.
pub trait TransposeElement: Copy + Send + Sync + 'static {
    /// Callers use [`transpose`].
    fn permute(pool: &dyn ParallelFor, x: &[Self], shape: &[usize], perm: &[usize], y: &mut [Self]);
}

/// y = x with its dimensions in the order `perm`: dimension i of y is dimension `perm[i]` of x. Panics when `perm` is no permutation
/// of the dimensions or a length does not fit.
pub fn transpose<T: TransposeElement>(pool: &dyn ParallelFor, x: &[T], shape: &[usize], perm: &[usize], y: &mut [T]) {
    let len: usize = shape.iter().product();
    assert_eq!((x.len(), y.len(), perm.len()), (len, len, shape.len()));
    let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, shape.len());
    for &axis in perm {
        assert!(!std::mem::replace(&mut seen[axis], true), "{perm:?} is no permutation");
    }
    if len > 0 {
        T::permute(pool, x, shape, perm, y);
    }
}

/// A dimension of the output: its size and how far the input moves along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    size: usize,
    stride: usize,
}

/// The dimensions of the output, without those of size 1, neighbours merged that are neighbours in the input too.
fn merged(shape: &[usize], perm: &[usize]) -> SmallVec<[Dim; 6]> {
    let mut strides: SmallVec<[usize; 8]> = SmallVec::from_elem(1, shape.len());
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    let mut dims: SmallVec<[Dim; 6]> = SmallVec::new();
    for &axis in perm {
        let dim = Dim { size: shape[axis], stride: strides[axis] };
        match dims.last_mut() {
            _ if dim.size == 1 => {}
            Some(last) if last.stride == dim.size * dim.stride => *last = Dim { size: last.size * dim.size, stride: dim.stride },
            _ => dims.push(dim),
        }
    }
    dims
}

/// Side of the square that is moved at once.
const SQUARE: usize = 16;
/// Elements that a task takes at least.
const GRAIN: usize = 16 * 1024;

fn permute<T: Copy + Send + Sync>(pool: &dyn ParallelFor, x: &[T], shape: &[usize], perm: &[usize], y: &mut [T]) {
    let mut dims = merged(shape, perm);
    // The input is contiguous along `run`, the last dimension of the output (or a single element).
    let run = match dims.last() {
        Some(&Dim { size, stride: 1 }) => {
            dims.pop();
            size
        }
        _ => 1,
    };
    let Some(&last) = dims.last() else { return y.copy_from_slice(x) };
    // The dimension of the output along which the input moves least is paired with the last one to form squares.
    let pair = (0..dims.len() - 1).min_by_key(|&i| dims[i].stride);
    let (Some(pair), 1) = (pair, run) else {
        // Runs, or a single strided dimension: row after row.
        let rows = y.len() / (last.size * run);
        return for_each_part(pool, y, rows, GRAIN.div_ceil(last.size * run), &|range, y| {
            for (row, y) in range.zip(y.chunks_exact_mut(last.size * run)) {
                let start = offset(&dims[..dims.len() - 1], row);
                for (i, y) in y.chunks_exact_mut(run).enumerate() {
                    y.copy_from_slice(&x[start + i * last.stride..][..run]);
                }
            }
        });
    };
    // Everything outside `pair` is a batch of slabs; a slab holds whole lines of `pair`.
    let slab: usize = dims[pair..].iter().map(|d| d.size).product();
    let inside: usize = slab / dims[pair].size / last.size;
    for_each_part(pool, y, y.len() / slab, GRAIN.div_ceil(slab), &|range, y| {
        for (batch, y) in range.zip(y.chunks_exact_mut(slab)) {
            let outer = offset(&dims[..pair], batch);
            for middle in 0..inside {
                let start = outer + offset(&dims[pair + 1..dims.len() - 1], middle);
                squares(&x[start..], dims[pair], last, &mut y[middle * last.size..], inside * last.size);
            }
        }
    });
}

/// One plane: y[i * y_stride + j] = x[i * rows.stride + j * cols.stride].
fn squares<T: Copy>(x: &[T], rows: Dim, cols: Dim, y: &mut [T], y_stride: usize) {
    for first_row in (0..rows.size).step_by(SQUARE) {
        let last_row = (first_row + SQUARE).min(rows.size);
        for first_col in (0..cols.size).step_by(SQUARE) {
            let width = SQUARE.min(cols.size - first_col);
            for i in first_row..last_row {
                let x = x[i * rows.stride + first_col * cols.stride..].iter().step_by(cols.stride);
                for (y, &x) in y[i * y_stride + first_col..][..width].iter_mut().zip(x) {
                    *y = x;
                }
            }
        }
    }
}

/// Where the element with number `index` of these dimensions stands in the input.
fn offset(dims: &[Dim], mut index: usize) -> usize {
    let mut offset = 0;
    for dim in dims.iter().rev() {
        offset += index % dim.size * dim.stride;
        index /= dim.size;
    }
    offset
}

macro_rules! transpose_element {
    ($($t:ty)*) => {$(
        impl TransposeElement for $t {
            fn permute(pool: &dyn ParallelFor, x: &[Self], shape: &[usize], perm: &[usize], y: &mut [Self]) {
                permute(pool, x, shape, perm, y);
            }
        }
    )*};
}
transpose_element!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Inline;
    use crate::parallel::tests::Threads;
    use crate::sample::Sample;

    fn reference(x: &[u32], shape: &[usize], perm: &[usize]) -> Vec<u32> {
        let strides: Vec<usize> = (0..shape.len()).map(|i| shape[i + 1..].iter().product()).collect();
        let dims: Vec<Dim> = perm.iter().map(|&p| Dim { size: shape[p], stride: strides[p] }).collect();
        (0..x.len()).map(|i| x[offset(&dims, i)]).collect()
    }

    #[test]
    fn any_permutation_of_any_shape_is_right() {
        let mut sample = Sample::new(61);
        for round in 0..400 {
            let rank = sample.below(6);
            let most = if rank <= 3 { 40 } else { 6 };
            let shape: Vec<usize> = (0..rank).map(|_| 1 + sample.below(most)).collect();
            let mut perm: Vec<usize> = (0..rank).collect();
            for i in (1..rank).rev() {
                perm.swap(i, sample.below(i + 1));
            }
            let x: Vec<u32> = (0..shape.iter().product::<usize>() as u32).collect();
            let mut y = vec![u32::MAX; x.len()];
            let pool: &dyn ParallelFor = if round % 2 == 0 { &Inline } else { &Threads(3) };
            transpose(pool, &x, &shape, &perm, &mut y);
            assert_eq!(y, reference(&x, &shape, &perm), "{shape:?} {perm:?}");
        }
    }

    #[test]
    fn neighbours_that_stay_together_are_merged() {
        assert_eq!(merged(&[2, 3, 4], &[0, 1, 2]).len(), 1);
        assert_eq!(merged(&[2, 1, 3, 4], &[2, 3, 1, 0])[..], [Dim { size: 12, stride: 1 }, Dim { size: 2, stride: 12 }]);
        transpose::<f32>(&Inline, &[], &[0, 3], &[1, 0], &mut []);
        let mut y = [0u8];
        transpose(&Inline, &[7u8], &[], &[], &mut y);
        assert_eq!(y, [7]);
    }

    #[test]
    #[should_panic(expected = "no permutation")]
    fn a_repeated_axis_is_a_mistake_of_the_caller() {
        transpose(&Inline, &[1, 2, 3, 4], &[2, 2], &[0, 0], &mut [0; 4]);
    }
}
