//! Broadcasting two shapes against each other, TensorFlow's `BCast`: adjacent dimensions that behave alike are merged, so that
//! the innermost loop runs over the longest possible stretch in which each operand either advances or stands still.

use smallvec::SmallVec;
use std::ops::Range;

/// One merged dimension: its size and how far each operand moves along it, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    size: usize,
    left: usize,
    right: usize,
}

/// How two operands combine into one output.
#[derive(Clone, Debug)]
pub struct Broadcast {
    shape: SmallVec<[usize; 6]>,
    dims: SmallVec<[Dim; 4]>,
    len: usize,
    left_len: usize,
    right_len: usize,
}

/// A stretch of the output in which each operand advances by 1 or 0 elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First element in the output.
    pub out: usize,
    /// First element of the left operand.
    pub left: usize,
    /// First element of the right operand.
    pub right: usize,
    /// Number of output elements.
    pub len: usize,
    /// Whether the left operand advances; otherwise one element serves the whole run.
    pub left_moves: bool,
    /// Whether the right operand advances.
    pub right_moves: bool,
}

/// One operand of a run.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a, T> {
    /// An element for each element of the output.
    Slice(&'a [T]),
    /// One element for all.
    Scalar(T),
}

impl<'a, T: Copy> Operand<'a, T> {
    #[inline(always)]
    fn of(data: &'a [T], start: usize, len: usize, moves: bool) -> Self {
        if moves { Operand::Slice(&data[start..][..len]) } else { Operand::Scalar(data[start]) }
    }
}

impl Run {
    /// The part of the left operand that takes part in this run.
    #[inline(always)]
    pub fn left_of<'a, T: Copy>(&self, data: &'a [T]) -> Operand<'a, T> {
        Operand::of(data, self.left, self.len, self.left_moves)
    }

    /// The part of the right operand that takes part in this run.
    #[inline(always)]
    pub fn right_of<'a, T: Copy>(&self, data: &'a [T]) -> Operand<'a, T> {
        Operand::of(data, self.right, self.len, self.right_moves)
    }
}

/// out = f(left, right) for one run.
#[inline(always)]
pub(crate) fn zip<T: Copy, O, F: Fn(T, T) -> O>((left, right, out, f): (Operand<T>, Operand<T>, &mut [O], F)) {
    match (left, right) {
        (Operand::Slice(left), Operand::Slice(right)) => {
            for (out, (&l, &r)) in out.iter_mut().zip(left.iter().zip(right)) {
                *out = f(l, r);
            }
        }
        (Operand::Scalar(l), Operand::Slice(right)) => {
            for (out, &r) in out.iter_mut().zip(right) {
                *out = f(l, r);
            }
        }
        (Operand::Slice(left), Operand::Scalar(r)) => {
            for (out, &l) in out.iter_mut().zip(left) {
                *out = f(l, r);
            }
        }
        (Operand::Scalar(l), Operand::Scalar(r)) => {
            for out in out {
                *out = f(l, r);
            }
        }
    }
}

impl Broadcast {
    /// Combines two shapes; `None` when a pair of dimensions differs and neither is 1, or when the sizes overflow.
    pub fn new(left: &[usize], right: &[usize]) -> Option<Broadcast> {
        let rank = left.len().max(right.len());
        let dim_of = |shape: &[usize], i: usize| if i + shape.len() < rank { 1 } else { shape[i + shape.len() - rank] };
        let mut shape = SmallVec::with_capacity(rank);
        let mut len = 1usize;
        for i in 0..rank {
            let size = match (dim_of(left, i), dim_of(right, i)) {
                (l, r) if l == r => l,
                (1, r) => r,
                (l, 1) => l,
                _ => return None,
            };
            shape.push(size);
            len = len.checked_mul(size)?;
        }
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
        let (mut left_len, mut right_len) = (1, 1);
        for i in (0..rank).rev() {
            let (l, r) = (dim_of(left, i), dim_of(right, i));
            let dim = Dim { size: shape[i], left: if l == 1 { 0 } else { left_len }, right: if r == 1 { 0 } else { right_len } };
            left_len *= l;
            right_len *= r;
            if dim.size == 1 {
                continue;
            }
            match dims.last_mut() {
                Some(inner) if follows(inner.left, inner.size, dim.left) && follows(inner.right, inner.size, dim.right) => {
                    inner.size = inner.size.saturating_mul(dim.size);
                }
                _ => dims.push(dim),
            }
        }
        if dims.is_empty() {
            dims.push(Dim { size: 1, left: 1, right: 1 });
        }
        dims.reverse();
        Some(Broadcast { shape, dims, len, left_len, right_len })
    }

    /// Two operands of `len` elements each, of the same shape.
    pub fn same(len: usize) -> Broadcast {
        let dims = SmallVec::from_slice(&[Dim { size: len, left: 1, right: 1 }]);
        Broadcast { shape: SmallVec::from_slice(&[len]), dims, len, left_len: len, right_len: len }
    }

    /// The shape of the output.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements of the output.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the output has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of elements of the left operand.
    pub fn left_len(&self) -> usize {
        self.left_len
    }

    /// The number of elements of the right operand.
    pub fn right_len(&self) -> usize {
        self.right_len
    }

    /// Calls `body` for the runs that make up the output elements `range`, in order.
    #[inline(always)]
    pub fn for_each_run(&self, range: Range<usize>, mut body: impl FnMut(Run)) {
        let end = range.end.min(self.len);
        let mut at = range.start;
        if at >= end {
            return;
        }
        let (inner, outer) = (self.dims[self.dims.len() - 1], &self.dims[..self.dims.len() - 1]);
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, outer.len());
        let (mut left, mut right) = (0, 0);
        let mut row = at / inner.size;
        let mut skip = at % inner.size;
        for (i, dim) in outer.iter().enumerate().rev() {
            index[i] = row % dim.size;
            row /= dim.size;
            left += index[i] * dim.left;
            right += index[i] * dim.right;
        }
        loop {
            let len = (inner.size - skip).min(end - at);
            body(Run {
                out: at,
                left: left + skip * inner.left,
                right: right + skip * inner.right,
                len,
                left_moves: inner.left != 0,
                right_moves: inner.right != 0,
            });
            at += len;
            skip = 0;
            if at >= end {
                return;
            }
            for (i, dim) in outer.iter().enumerate().rev() {
                index[i] += 1;
                left += dim.left;
                right += dim.right;
                if index[i] < dim.size {
                    break;
                }
                index[i] = 0;
                left -= dim.left * dim.size;
                right -= dim.right * dim.size;
            }
        }
    }
}

/// Whether an outer dimension of stride `outer` continues an inner one without a jump.
fn follows(inner: usize, size: usize, outer: usize) -> bool {
    inner * size == outer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn runs(b: &Broadcast) -> usize {
        let mut n = 0;
        b.for_each_run(0..b.len(), |_| n += 1);
        n
    }

    #[test]
    fn alike_dimensions_are_merged_into_one_run() {
        assert_eq!(runs(&Broadcast::new(&[2, 3, 4], &[2, 3, 4]).unwrap()), 1);
        assert_eq!(runs(&Broadcast::new(&[2, 3, 4], &[]).unwrap()), 1);
        assert_eq!(runs(&Broadcast::new(&[1, 1], &[5, 7]).unwrap()), 1);
        assert_eq!(runs(&Broadcast::new(&[32, 500], &[500]).unwrap()), 32);
        assert_eq!(runs(&Broadcast::new(&[8, 28, 28, 6], &[8, 1, 1, 6]).unwrap()), 8 * 28 * 28);
        assert_eq!(runs(&Broadcast::new(&[4, 1, 3], &[4, 5, 1]).unwrap()), 20);
        assert_eq!(Broadcast::new(&[4, 1, 3], &[5, 1]).unwrap().shape(), [4, 5, 3]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        assert!(Broadcast::new(&[2, 3], &[2]).is_none());
        assert!(Broadcast::new(&[0], &[2]).is_none());
        assert!(Broadcast::new(&[usize::MAX, 1], &[1, 2]).is_none());
    }

    #[test]
    fn empty_and_scalar_shapes_work() {
        let empty = Broadcast::new(&[0, 3], &[1, 3]).unwrap();
        assert_eq!((empty.len(), runs(&empty)), (0, 0));
        let one = Broadcast::new(&[], &[]).unwrap();
        assert_eq!((one.len(), runs(&one), one.shape().len()), (1, 1, 0));
    }

    #[test]
    fn every_output_element_meets_its_operands() {
        let mut sample = Sample::new(7);
        for _ in 0..300 {
            let rank = sample.below(5);
            let full: Vec<usize> = (0..rank).map(|_| 1 + sample.below(4)).collect();
            let mut thin = |full: &[usize]| -> Vec<usize> {
                let cut = sample.below(full.len() + 1);
                full[cut..].iter().map(|&d| if sample.below(3) == 0 { 1 } else { d }).collect()
            };
            let (l, r) = (thin(&full), thin(&full));
            let Some(b) = Broadcast::new(&l, &r) else { panic!("{l:?} {r:?}") };
            let offset = |shape: &[usize], mut at: usize| {
                let (mut offset, mut stride) = (0, 1);
                for (i, &size) in b.shape().iter().enumerate().rev() {
                    let index = at % size;
                    at /= size;
                    let lead = b.shape().len() - shape.len();
                    if i >= lead {
                        let own = shape[i - lead];
                        offset += if own == 1 { 0 } else { index * stride };
                        stride *= own;
                    }
                }
                offset
            };
            let from = sample.below(b.len() + 1);
            let mut next = from;
            b.for_each_run(from..b.len(), |run| {
                assert_eq!(run.out, next);
                for i in 0..run.len {
                    assert_eq!(run.left + if run.left_moves { i } else { 0 }, offset(&l, next + i), "{l:?} {r:?}");
                    assert_eq!(run.right + if run.right_moves { i } else { 0 }, offset(&r, next + i), "{l:?} {r:?}");
                }
                next += run.len;
            });
            assert_eq!(next, b.len());
        }
    }
}
