//! Rows joined by segments in any order (TF: `UnsortedSegmentReductionOp`).

use super::segments::{Empty, Entry, Join, joined};
use crate::prelude::*;

/// The argument `num_segments`.
///
/// Errors: `InvalidArgument` if it is no scalar or negative.
pub(crate) fn segment_count(t: &Tensor) -> Result<usize> {
    if t.rank() != 0 {
        return Err(invalid_argument(format!("num_segments should be a scalar, not shape {}", t.shape())));
    }
    let n = t.to_i64()?;
    usize::try_from(n).map_err(|_| invalid_argument(format!("Input num_segments == {n} must not be negative.")))
}

/// output[i] = the rows data[j…] with segment_ids[j…] = i, joined; negative numbers are left out.
///
/// Errors: `InvalidArgument` for numbers out of range, or whose shape is not the start of that of the data.
pub(crate) fn unsorted_segment(ctx: &mut OpKernelContext, join: Join, empty: Empty) -> Result<()> {
    let (data, ids) = (ctx.input(0)?, ctx.input(1)?);
    let count = segment_count(ctx.input(2)?)?;
    if !data.dims().starts_with(ids.dims()) {
        return Err(invalid_argument(format!("data.shape = {} does not start with segment_ids.shape = {}", data.shape(), ids.shape())));
    }
    let row = &data.dims()[ids.rank()..];
    let rows = i64::try_from(count).map_err(|_| invalid_argument(format!("num_segments == {count} is too large")))?;
    let shape = Shape::new(&[&[rows], row].concat())?;
    let width = row.iter().product::<i64>() as usize;
    let mut entries = Vec::with_capacity(ids.num_elements());
    for (source, &id) in ids.to_i64s()?.iter().enumerate() {
        match usize::try_from(id) {
            Err(_) => {}
            Ok(target) if target < count => entries.push(Entry { source, target }),
            Ok(_) => {
                let at = place(ids.dims(), source);
                return Err(invalid_argument(format!("segment_ids{at:?} = {id} is out of range [0, {count})")));
            }
        }
    }
    let out = joined(data, width, &entries, shape, join, empty)?;
    ctx.set_output(0, out);
    Ok(())
}

/// The coordinates of an element.
fn place(dims: &[i64], element: usize) -> Vec<i64> {
    let mut rest = element as i64;
    let mut at: Vec<i64> = dims
        .iter()
        .rev()
        .map(|&d| {
            let i = rest % d;
            rest /= d;
            i
        })
        .collect();
    at.reverse();
    at
}

/// The shape of the result: `num_segments` rows.
///
/// Errors: `InvalidArgument` if the shape of the numbers is not the start of that of the data.
pub(crate) fn unsorted_segment_shape(c: &mut ShapeContext) -> Result<()> {
    let (data, ids, _) = (c.input(0), c.input(1), c.with_rank(2, 0)?);
    let rows = match c.constant(2) {
        Some(t) => Some(segment_count(t)? as i64),
        None => None,
    };
    let (Some(dims), Some(id_dims)) = (data.dims(), ids.dims()) else { return Ok(()) };
    if dims.len() < id_dims.len() {
        return Err(invalid_argument(format!("data.shape = {data} does not start with segment_ids.shape = {ids}")));
    }
    let (start, row) = dims.split_at(id_dims.len());
    PartialShape::new(start).merge(&ids)?;
    c.set_output(0, PartialShape::new(&[&[rows], row].concat()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: &str, ids: &[i32], count: i32) -> Result<Tensor> {
        let data = tensor(&[ids.len() as i64, 1], &(1..=ids.len()).map(|x| x as f32).collect::<Vec<_>>());
        OpTester::named(op).input(data).input(tensor(&[ids.len() as i64], ids)).input(count).run_one()
    }

    #[test]
    fn negative_numbers_are_left_out_and_empty_segments_are_neutral() {
        assert_eq!(run("UnsortedSegmentSum", &[1, -1, 1], 3).unwrap().as_slice::<f32>().unwrap(), [0.0, 4.0, 0.0]);
        assert_eq!(run("UnsortedSegmentProd", &[1, -1, 1], 2).unwrap().as_slice::<f32>().unwrap(), [1.0, 3.0]);
        assert_eq!(run("UnsortedSegmentMax", &[1, -1, 1], 2).unwrap().as_slice::<f32>().unwrap(), [f32::MIN, 3.0]);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(run("UnsortedSegmentSum", &[0, 0, 5], 3).unwrap_err().bare_message(), "segment_ids[2] = 5 is out of range [0, 3)");
        assert_eq!(run("UnsortedSegmentSum", &[0], -1).unwrap_err().bare_message(), "Input num_segments == -1 must not be negative.");
    }
}
