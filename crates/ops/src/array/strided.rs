//! `StridedView`: elements seen through an offset and one stride per dimension. Slicing, transposing, reversing, broadcasting
//! and splitting are all copies of such a view.

use super::elements::{Rearrange, rearrange};
use ferroflow_math::{ParallelFor, for_each_part};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{Result, Shape, Tensor};
use smallvec::SmallVec;

/// One number per dimension.
pub(crate) type PerDim<T> = SmallVec<[T; 6]>;

/// Elements of a source in a new order.
#[derive(Clone, Debug)]
pub(crate) struct StridedView {
    /// Index of the first element in the source.
    pub(crate) offset: isize,
    /// Length of each dimension, the last varying fastest.
    pub(crate) dims: PerDim<usize>,
    /// Distance in the source between neighbours along each dimension; may be 0 or negative.
    pub(crate) strides: PerDim<isize>,
}

/// Fewest elements worth a task of their own.
const GRAIN: usize = 16 * 1024;

/// The strides of a tensor that lies row by row.
pub(crate) fn row_major(dims: &[i64]) -> PerDim<isize> {
    let mut strides: PerDim<isize> = dims.iter().map(|_| 0).collect();
    let mut next = 1isize;
    for (stride, &dim) in strides.iter_mut().zip(dims).rev() {
        *stride = next;
        next = next.saturating_mul(dim.max(1) as isize);
    }
    strides
}

impl StridedView {
    /// The whole of a tensor of these dimensions.
    pub(crate) fn of(dims: &[i64]) -> StridedView {
        StridedView { offset: 0, dims: dims.iter().map(|&d| d as usize).collect(), strides: row_major(dims) }
    }

    /// Copies what it shows of `source` into a tensor of this shape, on the threads of `pool`.
    ///
    /// Errors: `Internal` if the view does not fit the source or the shape; `ResourceExhausted` without memory.
    pub(crate) fn copy(&self, source: &Tensor, shape: Shape, pool: &dyn ParallelFor) -> Result<Tensor> {
        let merged = self.merged();
        let count: usize = self.dims.iter().product();
        if count != shape.num_elements() {
            return Err(internal(format!("a view of {count} elements does not make {shape}")));
        }
        if count > 0 && !merged.is_inside(source.num_elements()) {
            return Err(internal(format!("a view reaches outside a tensor of {} elements", source.num_elements())));
        }
        rearrange(&[source], shape, &Copying { view: &merged, pool })
    }

    /// The same elements in as few dimensions as possible.
    fn merged(&self) -> StridedView {
        let (mut dims, mut strides) = (PerDim::<usize>::new(), PerDim::<isize>::new());
        for (&dim, &stride) in self.dims.iter().zip(&self.strides) {
            if dim == 1 {
                continue;
            }
            match (dims.last_mut(), strides.last_mut()) {
                (Some(d), Some(s)) if *s == stride.saturating_mul(dim as isize) => {
                    *d *= dim;
                    *s = stride;
                }
                _ => {
                    dims.push(dim);
                    strides.push(stride);
                }
            }
        }
        if dims.is_empty() {
            dims.push(1);
            strides.push(1);
        }
        StridedView { offset: self.offset, dims, strides }
    }

    fn is_inside(&self, len: usize) -> bool {
        let (mut low, mut high) = (self.offset, self.offset);
        for (&dim, &stride) in self.dims.iter().zip(&self.strides) {
            let reach = stride.saturating_mul(dim as isize - 1);
            if reach < 0 { low = low.saturating_add(reach) } else { high = high.saturating_add(reach) }
        }
        low >= 0 && high < len as isize
    }
}

struct Copying<'a> {
    view: &'a StridedView,
    pool: &'a dyn ParallelFor,
}

impl Rearrange for Copying<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let source = inputs[0];
        let (outer, inner) = self.view.dims.split_at(self.view.dims.len() - 1);
        let (width, stride) = (inner[0], self.view.strides[outer.len()]);
        if width == 0 || out.is_empty() {
            return Ok(());
        }
        let rows = out.len() / width;
        let strides = &self.view.strides[..outer.len()];
        if rows == 1 && stride == 1 {
            // One run: split it by elements rather than by rows.
            let start = self.view.offset as usize;
            for_each_part(self.pool, out, width, GRAIN, &|range, part| {
                part.clone_from_slice(&source[start + range.start..start + range.end]);
            });
            return Ok(());
        }
        for_each_part(self.pool, out, rows, (GRAIN / width).max(1), &|range, part| {
            let mut index: PerDim<usize> = unravel(range.start, outer);
            let mut at = self.view.offset + index.iter().zip(strides).map(|(&i, &s)| i as isize * s).sum::<isize>();
            for row in part.chunks_exact_mut(width) {
                match stride {
                    1 => row.clone_from_slice(&source[at as usize..at as usize + width]),
                    0 => row.fill(source[at as usize].clone()),
                    _ => {
                        let mut from = at;
                        for place in row {
                            *place = source[from as usize].clone();
                            from += stride;
                        }
                    }
                }
                for axis in (0..outer.len()).rev() {
                    index[axis] += 1;
                    at += strides[axis];
                    if index[axis] < outer[axis] {
                        break;
                    }
                    at -= strides[axis] * outer[axis] as isize;
                    index[axis] = 0;
                }
            }
        });
        Ok(())
    }
}

/// The index along each dimension of the `n`-th element.
fn unravel(mut n: usize, dims: &[usize]) -> PerDim<usize> {
    let mut index: PerDim<usize> = dims.iter().map(|_| 0).collect();
    for (place, &dim) in index.iter_mut().zip(dims).rev() {
        *place = n % dim.max(1);
        n /= dim.max(1);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::pool;
    use crate::testing::{bare_step, tensor};
    use smallvec::smallvec;

    #[test]
    fn a_view_outside_its_source_is_refused() {
        let step = bare_step(1);
        let t = tensor(&[4], &[1i32, 2, 3, 4]);
        let view = StridedView { offset: 2, dims: smallvec![3], strides: smallvec![1] };
        assert!(view.copy(&t, Shape::new(&[3]).unwrap(), &pool(&step)).is_err());
        let view = StridedView { offset: 3, dims: smallvec![4], strides: smallvec![-1] };
        let r = view.copy(&t, Shape::new(&[4]).unwrap(), &pool(&step)).unwrap();
        assert_eq!(r.as_slice::<i32>().unwrap(), [4, 3, 2, 1]);
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let n = 300i64;
        let data: Vec<i32> = (0..(n * n) as i32).collect();
        let t = tensor(&[n, n], &data);
        let view = StridedView { offset: 0, dims: smallvec![n as usize, n as usize], strides: smallvec![1, n as isize] };
        let shape = || Shape::new(&[n, n]).unwrap();
        let one = view.copy(&t, shape(), &pool(&bare_step(1))).unwrap();
        let many = view.copy(&t, shape(), &pool(&bare_step(4))).unwrap();
        assert_eq!(one.bytes().unwrap(), many.bytes().unwrap());
        assert_eq!(one.as_slice::<i32>().unwrap()[1], n as i32);
        let row = StridedView::of(&[n, n]).copy(&t, shape(), &pool(&bare_step(4))).unwrap();
        assert_eq!(row.bytes().unwrap(), t.bytes().unwrap());
    }
}
