//! Rows of a tensor joined by segment (TF: `SegmentReductionOp`, `UnsortedSegmentReductionOp`, `SparseSegmentReductionOpBase`).

use crate::math::elementwise::refused;
use crate::prelude::*;
use ferroflow_math::{BinaryOp, Broadcast, Inline, Side, binary_in_place, cast};
use num_traits::Bounded;

/// How the rows of a segment become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    Sum,
    Mean,
    /// The sum divided by the square root of the number of rows.
    SqrtN,
    Prod,
    Max,
    Min,
}

/// What a segment without rows becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    Zero,
    One,
    Lowest,
    Highest,
}

/// Which row of the data goes to which row of the result.
pub(crate) struct Entry {
    pub(crate) source: usize,
    pub(crate) target: usize,
}

/// The result of `rows` rows of `width` elements, in which each entry's row of `data` is joined to its target.
///
/// The caller has checked that sources and targets are in range.
///
/// Errors: `Unimplemented` for other types; `ResourceExhausted` without memory.
pub(crate) fn joined(data: &Tensor, width: usize, entries: &[Entry], shape: Shape, join: Join, empty: Empty) -> Result<Tensor> {
    let dtype = data.dtype();
    let rows = shape.num_elements().checked_div(width).unwrap_or(0);
    let mut out = Tensor::for_overwrite(dtype, shape)?;
    // As a tensor: the number of rows comes from the client, and too many of them are an error rather than the end of the process.
    let mut counts = Tensor::zeros(DType::UInt32, Shape::from_lens(&[rows])?)?;
    let counts = counts.as_mut_slice::<u32>()?;
    if width == 0 {
        return Ok(out);
    }
    with_numeric!(dtype => T, {
        join_rows::<T>(data.as_slice()?, out.as_mut_slice()?, width, entries, join, counts).map_err(|e| refused(e, dtype))?;
        let mut value = [T::default()];
        if empty == Empty::One {
            cast(&[1i64], &mut value);
        }
        fill_empty(out.as_mut_slice()?, width, counts, value[0]);
    }, else { return Err(unsupported("a segment reduction", dtype)) });
    if matches!(empty, Empty::Lowest | Empty::Highest) {
        with_real!(dtype => T, {
            let value = if empty == Empty::Lowest { <T as Bounded>::min_value() } else { <T as Bounded>::max_value() };
            fill_empty(out.as_mut_slice::<T>()?, width, counts, value);
        }, else { return Err(unsupported("a segment reduction", dtype)) });
    }
    Ok(out)
}

fn fill_empty<T: Copy>(out: &mut [T], width: usize, counts: &[u32], value: T) {
    for (row, _) in out.chunks_exact_mut(width).zip(counts).filter(|(_, n)| **n == 0) {
        row.fill(value);
    }
}

fn join_rows<T: ferroflow_math::BinaryElement>(
    data: &[T],
    out: &mut [T],
    width: usize,
    entries: &[Entry],
    join: Join,
    counts: &mut [u32],
) -> std::result::Result<(), ferroflow_math::ArithmeticError>
where
    f64: ferroflow_math::CastTo<T>,
{
    let op = match join {
        Join::Sum | Join::Mean | Join::SqrtN => BinaryOp::Add,
        Join::Prod => BinaryOp::Mul,
        Join::Max => BinaryOp::Maximum,
        Join::Min => BinaryOp::Minimum,
    };
    let plan = Broadcast::same(width);
    for &Entry { source, target } in entries {
        let (row, to) = (&data[source * width..][..width], &mut out[target * width..][..width]);
        if counts[target] == 0 {
            to.copy_from_slice(row);
        } else {
            binary_in_place(&Inline, op, &plan, Side::Left, to, row)?;
        }
        counts[target] = counts[target].saturating_add(1);
    }
    if matches!(join, Join::Mean | Join::SqrtN) {
        let scalar = Broadcast::new(&[width], &[]);
        for (row, &n) in out.chunks_exact_mut(width).zip(&*counts).filter(|(_, n)| **n > 1) {
            let mut divisor = [T::default()];
            cast(&[if join == Join::Mean { f64::from(n) } else { f64::from(n).sqrt() }], &mut divisor);
            if let Some(plan) = &scalar {
                binary_in_place(&Inline, BinaryOp::Div, plan, Side::Left, row, &divisor)?;
            }
        }
    }
    Ok(())
}

/// Segment numbers that do not fall, from 0 on, and how many segments that makes.
///
/// Errors: `InvalidArgument` if they fall, are negative, or reach beyond `limit` segments.
pub(crate) fn sorted(ids: &Tensor, limit: Option<usize>) -> Result<(Vec<usize>, usize)> {
    let ids = ids.to_i64s()?;
    let most = limit.map_or(i64::MAX, |n| n as i64);
    let mut places = Vec::with_capacity(ids.len());
    let mut last = 0;
    for (i, &id) in ids.iter().enumerate() {
        if !(0..most).contains(&id) {
            let end = limit.map_or_else(|| ids.last().map_or(0, |id| id.saturating_add(1)), |n| n as i64);
            return Err(invalid_argument(format!(
                "Segment id {id} out of range [0, {end}), possibly because 'segment_ids' input is not sorted."
            )));
        }
        if i > 0 && id < last {
            return Err(invalid_argument("segment ids are not increasing"));
        }
        last = id;
        places.push(id as usize);
    }
    let count = limit.unwrap_or(places.last().map_or(0, |last| last + 1));
    Ok((places, count))
}

/// The shape of `data` with another number of rows, and how many elements a row has.
///
/// Errors: `InvalidArgument` for a scalar.
pub(crate) fn with_rows(data: &Shape, rows: usize) -> Result<(Shape, usize)> {
    let Some((_, row)) = data.dims().split_first() else { return Err(invalid_argument("input must be at least rank 1")) };
    let rows = i64::try_from(rows).map_err(|_| invalid_argument(format!("{rows} rows are too many")))?;
    let shape = Shape::new(&[&[rows], row].concat())?;
    Ok((shape, row.iter().product::<i64>() as usize))
}

/// output[i] = the rows data[j] with segment_ids[j] = i, joined; the numbers do not fall.
///
/// Errors: `InvalidArgument` for numbers that fall or do not go with the rows.
pub(crate) fn segment(ctx: &mut OpKernelContext, join: Join) -> Result<()> {
    let (data, ids) = (ctx.input(0)?, ctx.input(1)?);
    if data.rank() == 0 {
        return Err(invalid_argument("input must be at least rank 1"));
    }
    if ids.rank() != 1 {
        return Err(invalid_argument("segment_ids should be a vector."));
    }
    if data.shape().dim(0) != ids.num_elements() {
        return Err(invalid_argument("segment_ids should be the same size as dimension 0 of input."));
    }
    let (ids, count) = sorted(ids, None)?;
    let (shape, width) = with_rows(data.shape(), count)?;
    let entries: Vec<Entry> = ids.iter().enumerate().map(|(source, &target)| Entry { source, target }).collect();
    let empty = if join == Join::Prod { Empty::One } else { Empty::Zero };
    let out = joined(data, width, &entries, shape, join, empty)?;
    ctx.set_output(0, out);
    Ok(())
}

/// The shape of the result of [`segment`]: any number of rows.
///
/// Errors: `InvalidArgument` for a scalar, or numbers that are no vector.
pub(crate) fn segment_shape(c: &mut ShapeContext) -> Result<()> {
    let (data, _) = (c.with_rank_at_least(0, 1)?, c.with_rank(1, 1)?);
    if let Some(dims) = data.dims() {
        c.set_output(0, PartialShape::new(&[&[None], &dims[1..]].concat()));
    }
    Ok(())
}
