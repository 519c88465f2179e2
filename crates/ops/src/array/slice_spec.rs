//! The indexing of `StridedSlice` and its gradient: begin, end and strides with five bit masks, made into one range per dimension
//! (TF: `ValidateStridedSliceOp`).

use super::strided::{PerDim, StridedView};
use crate::prelude::*;

/// The masks of a node; bit `i` is about element `i` of begin, end and strides.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Masks {
    /// Begin is ignored: from the start.
    pub(crate) begin: i64,
    /// End is ignored: to the end.
    pub(crate) end: i64,
    /// Stands for as many full dimensions as are needed.
    pub(crate) ellipsis: i64,
    /// A new dimension of length 1.
    pub(crate) new_axis: i64,
    /// One index, whose dimension goes away.
    pub(crate) shrink_axis: i64,
}

impl Masks {
    /// Reads them from a node's attributes.
    ///
    /// Errors: `InvalidArgument` without them.
    pub(crate) fn of(attrs: &AttrMap) -> Result<Masks> {
        Ok(Masks {
            begin: attrs.int("begin_mask")?,
            end: attrs.int("end_mask")?,
            ellipsis: attrs.int("ellipsis_mask")?,
            new_axis: attrs.int("new_axis_mask")?,
            shrink_axis: attrs.int("shrink_axis_mask")?,
        })
    }
}

fn bit(mask: i64, i: usize) -> bool {
    i < 63 && mask >> i & 1 == 1
}

/// What a dimension of the result comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// A dimension of the input.
    Dim(usize),
    /// A new one of length 1.
    New,
}

/// One range per dimension of the input, and where they go in the result.
#[derive(Debug)]
pub(crate) struct SliceSpec {
    /// Per dimension of the input: first index, stride, number of elements; unknown where the input's dimension is.
    ranges: Vec<(i64, i64, Option<i64>)>,
    shape: Vec<Source>,
}

/// `begin`, `end` and `strides` may be unknown (`None`) only for shape inference; then only their number counts.
pub(crate) struct Indices<'a> {
    pub(crate) len: usize,
    pub(crate) begin: Option<&'a [i64]>,
    pub(crate) end: Option<&'a [i64]>,
    pub(crate) strides: Option<&'a [i64]>,
}

/// What one element of the indices says, or a dimension that none of them mentions.
#[derive(Clone, Copy)]
enum Item {
    At(usize),
    Full,
}

impl SliceSpec {
    /// Works the indices out for an input of these dimensions.
    ///
    /// Errors: `InvalidArgument` for a stride of 0, an index out of bounds, too many indices or two ellipses.
    pub(crate) fn new(dims: &[Option<i64>], indices: &Indices, masks: Masks) -> Result<SliceSpec> {
        let items = items(dims.len(), indices.len, masks)?;
        let (mut ranges, mut shape) = (Vec::with_capacity(dims.len()), Vec::new());
        for item in items {
            let axis = ranges.len();
            match item {
                Item::At(i) if bit(masks.new_axis, i) => shape.push(Source::New),
                Item::At(i) => {
                    let Some(&dim) = dims.get(axis) else {
                        return Err(invalid_argument(format!(
                            "Index out of range using input dim {axis}; input has only {} dims",
                            dims.len()
                        )));
                    };
                    let shrink = bit(masks.shrink_axis, i);
                    ranges.push(range(axis, dim, i, indices, masks, shrink)?);
                    if !shrink {
                        shape.push(Source::Dim(axis));
                    }
                }
                Item::Full => {
                    ranges.push((0, 1, dims.get(axis).copied().flatten()));
                    shape.push(Source::Dim(axis));
                }
            }
        }
        Ok(SliceSpec { ranges, shape })
    }

    /// The shape of the result, as far as known.
    pub(crate) fn shape(&self) -> PartialShape {
        let dim = |s: &Source| match s {
            Source::New => Some(1),
            Source::Dim(axis) => self.ranges[*axis].2,
        };
        PartialShape::new(&self.shape.iter().map(dim).collect::<Vec<_>>())
    }

    /// The elements of an input of these dimensions that it selects, one dimension of the view per dimension of the input.
    pub(crate) fn view(&self, dims: &[i64]) -> StridedView {
        let whole = StridedView::of(dims);
        let mut view = StridedView { offset: 0, dims: PerDim::new(), strides: PerDim::new() };
        for (&(begin, stride, count), &unit) in self.ranges.iter().zip(&whole.strides) {
            view.offset += begin as isize * unit;
            view.dims.push(count.unwrap_or(0) as usize);
            view.strides.push((stride as isize).saturating_mul(unit));
        }
        view
    }

    /// `Some((first, count))` if it selects neighbouring rows of the first dimension and all of the others.
    pub(crate) fn rows(&self, dims: &[i64]) -> Option<(usize, usize)> {
        let (&(begin, stride, count), rest) = self.ranges.split_first()?;
        let count = count?;
        let whole = rest.iter().zip(&dims[1..]).all(|(r, &d)| *r == (0, 1, Some(d)));
        // With one row at most, the stride does not matter.
        let neighbours = whole && (stride == 1 || count <= 1);
        let begin = if count == 0 { 0 } else { begin };
        neighbours.then_some((begin as usize, count as usize))
    }
}

/// One item per element of the indices and per dimension that they do not mention, in order of the input's dimensions.
fn items(rank: usize, len: usize, masks: Masks) -> Result<Vec<Item>> {
    let ellipses: Vec<usize> = (0..len).filter(|&i| bit(masks.ellipsis, i)).collect();
    if ellipses.len() > 1 {
        return Err(invalid_argument("Multiple ellipses in slice spec not allowed"));
    }
    let at = ellipses.first().copied();
    // An ellipsis wins over a new axis at the same place.
    let used = (0..len).filter(|&i| Some(i) != at && !bit(masks.new_axis, i)).count();
    let missing = rank.saturating_sub(used);
    let mut items = Vec::with_capacity(rank + len);
    for i in 0..len {
        if Some(i) == at {
            items.extend(std::iter::repeat_n(Item::Full, missing));
        } else {
            items.push(Item::At(i));
        }
    }
    if at.is_none() {
        items.extend(std::iter::repeat_n(Item::Full, missing));
    }
    Ok(items)
}

fn range(axis: usize, dim: Option<i64>, i: usize, x: &Indices, masks: Masks, shrink: bool) -> Result<(i64, i64, Option<i64>)> {
    let stride = x.strides.and_then(|s| s.get(i).copied());
    if stride == Some(0) {
        return Err(invalid_argument(format!("strides[{i}] must be non-zero")));
    }
    if shrink && stride.is_some_and(|s| s <= 0) {
        return Err(invalid_argument("only stride 1 allowed on non-range indexing."));
    }
    let begin = x.begin.and_then(|b| b.get(i).copied());
    if shrink {
        let (Some(begin), Some(dim)) = (begin, dim) else { return Ok((0, 1, Some(1))) };
        let at = if begin < 0 { begin.saturating_add(dim) } else { begin };
        if !(0..dim).contains(&at) {
            return Err(invalid_argument(format!("slice index {begin} of dimension {axis} out of bounds.")));
        }
        return Ok((at, 1, Some(1)));
    }
    let (from_start, to_end) = (bit(masks.begin, i), bit(masks.end, i));
    let end = x.end.and_then(|e| e.get(i).copied());
    let (Some(dim), Some(stride)) = (dim, stride) else { return Ok((0, 1, None)) };
    let (first, last) = if stride > 0 { (0, dim) } else { (-1, dim - 1) };
    let clamp = |v: i64| (if v < 0 { v.saturating_add(dim) } else { v }).clamp(first, last);
    let begin = match (from_start, begin) {
        (true, _) => {
            if stride > 0 {
                first
            } else {
                last
            }
        }
        (false, Some(b)) => clamp(b),
        (false, None) => return Ok((0, 1, None)),
    };
    let end = match (to_end, end) {
        (true, _) => {
            if stride > 0 {
                last
            } else {
                first
            }
        }
        (false, Some(e)) => clamp(e),
        (false, None) => return Ok((0, 1, None)),
    };
    let distance = end - begin;
    // Empty if the stride leads away from the end.
    let count = if distance == 0 || (distance < 0) != (stride < 0) { 0 } else { distance / stride + (distance % stride != 0) as i64 };
    Ok((begin, stride, Some(count)))
}
