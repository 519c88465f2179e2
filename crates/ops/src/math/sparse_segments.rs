//! Rows that are gathered first and joined by segment then, without the gathered tensor (TF: `SparseSegmentReductionOpBase`).

use super::segments::{Empty, Entry, Join, joined, sorted, with_rows};
use super::unsorted_segments::segment_count;
use crate::prelude::*;

/// Vectors of one length: numbers of rows and of segments.
fn vectors<'a>(indices: &'a Tensor, ids: &'a Tensor) -> Result<(&'a Tensor, &'a Tensor)> {
    if indices.rank() != 1 {
        return Err(invalid_argument("indices should be a vector."));
    }
    if ids.rank() != 1 {
        return Err(invalid_argument("segment_ids should be a vector."));
    }
    if indices.num_elements() != ids.num_elements() {
        return Err(invalid_argument("segment_ids and indices should have same size."));
    }
    Ok((indices, ids))
}

/// Row numbers below `rows`.
fn checked(indices: &Tensor, rows: usize) -> Result<Vec<usize>> {
    let check = |(i, &index): (usize, &i64)| {
        let place = usize::try_from(index).ok().filter(|&place| place < rows);
        place.ok_or_else(|| invalid_argument(format!("Bad: indices[{i}] == {index} out of range [0, {rows})")))
    };
    indices.to_i64s()?.iter().enumerate().map(check).collect()
}

/// output[i] = the rows data[indices[j]] with segment_ids[j] = i, joined. Input 3, if there is one, says how many segments there are.
///
/// Errors: `InvalidArgument` for numbers that are out of range, fall, or are not of one size.
pub(crate) fn sparse_segment(ctx: &mut OpKernelContext, join: Join) -> Result<()> {
    let data = ctx.input(0)?;
    let limit = if ctx.num_inputs() > 3 { Some(segment_count(ctx.input(3)?)?) } else { None };
    let (indices, ids) = vectors(ctx.input(1)?, ctx.input(2)?)?;
    if data.rank() == 0 {
        return Err(invalid_argument("Shape must be at least rank 1"));
    }
    let (ids, count) = sorted(ids, limit)?;
    let sources = checked(indices, data.shape().dim(0))?;
    let (shape, width) = with_rows(data.shape(), count)?;
    let entries: Vec<Entry> = sources.into_iter().zip(ids).map(|(source, target)| Entry { source, target }).collect();
    let out = joined(data, width, &entries, shape, join, Empty::Zero)?;
    ctx.set_output(0, out);
    Ok(())
}

/// output[indices[j]] = the rows grad[segment_ids[j]], each divided as `join` divided it, added up; in `output_dim0` rows.
///
/// Errors: `InvalidArgument` for numbers that are out of range or not of one size.
pub(crate) fn sparse_segment_grad(ctx: &mut OpKernelContext, join: Join) -> Result<()> {
    let (grad, dim0) = (ctx.input(0)?, ctx.input(3)?);
    let (indices, ids) = vectors(ctx.input(1)?, ctx.input(2)?)?;
    if dim0.rank() != 0 {
        return Err(invalid_argument(format!("output_dim0 should be a scalar, not shape {}", dim0.shape())));
    }
    if grad.rank() == 0 {
        return Err(invalid_argument("Shape must be at least rank 1"));
    }
    let rows = usize::try_from(dim0.to_i64()?).map_err(|_| invalid_argument("output_dim0 must not be negative"))?;
    let targets = checked(indices, rows)?;
    let sources = checked(ids, grad.shape().dim(0))
        .map_err(|_| invalid_argument(format!("Segment id out of range [0, {}).", grad.shape().dim(0))))?;
    let (shape, width) = with_rows(grad.shape(), rows)?;
    let scaled = scaled(grad, width, &sources, join)?;
    let entries: Vec<Entry> = sources.into_iter().zip(targets).map(|(source, target)| Entry { source, target }).collect();
    let out = joined(&scaled, width, &entries, shape, Join::Sum, Empty::Zero)?;
    ctx.set_output(0, out);
    Ok(())
}

/// As [`sparse_segment_grad`], of the rows only that have a gradient: these, and their numbers in ascending order.
///
/// Errors: as [`sparse_segment_grad`].
pub(crate) fn compact_segment_grad(ctx: &mut OpKernelContext, join: Join) -> Result<()> {
    let (grad, dim0) = (ctx.input(0)?, ctx.input(3)?);
    let (indices, ids) = vectors(ctx.input(1)?, ctx.input(2)?)?;
    if dim0.rank() != 0 {
        return Err(invalid_argument(format!("dense_output_dim0 should be a scalar, not shape {}", dim0.shape())));
    }
    if grad.rank() == 0 {
        return Err(invalid_argument("Shape must be at least rank 1"));
    }
    let rows = usize::try_from(dim0.to_i64()?).map_err(|_| invalid_argument("dense_output_dim0 must not be negative"))?;
    let targets = checked(indices, rows)?;
    let sources = checked(ids, grad.shape().dim(0))
        .map_err(|_| invalid_argument(format!("Segment id out of range [0, {}).", grad.shape().dim(0))))?;
    let mut numbers = targets.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let (shape, width) = with_rows(grad.shape(), numbers.len())?;
    let scaled = scaled(grad, width, &sources, join)?;
    let place = |target: usize| numbers.partition_point(|&n| n < target);
    let entries: Vec<Entry> = sources.into_iter().zip(targets).map(|(source, target)| Entry { source, target: place(target) }).collect();
    let out = joined(&scaled, width, &entries, shape, Join::Sum, Empty::Zero)?;
    let wide: Vec<i64> = numbers.iter().map(|&n| n as i64).collect();
    let numbers = crate::array::dims::index_tensor(indices.dtype(), Shape::from_lens(&[wide.len()])?, &wide)?;
    ctx.set_output(0, out);
    ctx.set_output(1, numbers);
    Ok(())
}

/// The shapes of the results of [`compact_segment_grad`].
///
/// Errors: as [`sparse_segment_shape`].
pub(crate) fn compact_segment_grad_shape(c: &mut ShapeContext) -> Result<()> {
    let data = c.with_rank_at_least(0, 1)?;
    c.with_rank(1, 1)?.merge(&c.with_rank(2, 1)?)?;
    c.with_rank(3, 0)?;
    if let Some(dims) = data.dims() {
        c.set_output(0, PartialShape::new(&[&[None], &dims[1..]].concat()));
    }
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}

/// Each row divided by what the number of its segment's rows asks for.
fn scaled(grad: &Tensor, width: usize, sources: &[usize], join: Join) -> Result<Tensor> {
    use ferroflow_math::{Floating, Real};
    let mut scaled = grad.deep_copy()?;
    if join == Join::Sum || width == 0 {
        return Ok(scaled);
    }
    let mut counts = vec![0u32; grad.shape().dim(0)];
    sources.iter().for_each(|&s| counts[s] += 1);
    with_float!(grad.dtype() => T, {
        for (row, &n) in scaled.as_mut_slice::<T>()?.chunks_exact_mut(width).zip(&counts).filter(|(_, n)| **n > 1) {
            let divisor = <T as Floating>::Wide::of(if join == Join::Mean { f64::from(n) } else { f64::from(n).sqrt() });
            row.iter_mut().for_each(|x| *x = T::narrow(x.widen() / divisor));
        }
    }, else { return Err(unsupported("a gradient of segments", grad.dtype())) });
    Ok(scaled)
}

/// The shape of the result of [`sparse_segment`].
///
/// Errors: `InvalidArgument` for a scalar, or numbers that are no vectors.
pub(crate) fn sparse_segment_shape(c: &mut ShapeContext) -> Result<()> {
    let data = c.with_rank_at_least(0, 1)?;
    c.with_rank(1, 1)?.merge(&c.with_rank(2, 1)?)?;
    let rows = match c.constant(3) {
        Some(t) => Some(segment_count(t)? as i64),
        None => None,
    };
    if let Some(dims) = data.dims() {
        c.set_output(0, PartialShape::new(&[&[rows], &dims[1..]].concat()));
    }
    Ok(())
}

/// The shape of the result of [`sparse_segment_grad`].
///
/// Errors: as [`sparse_segment_shape`].
pub(crate) fn sparse_segment_grad_shape(c: &mut ShapeContext) -> Result<()> {
    let data = c.with_rank_at_least(0, 1)?;
    c.with_rank(1, 1)?.merge(&c.with_rank(2, 1)?)?;
    c.with_rank(3, 0)?;
    let rows = c.constant(3).and_then(|t| t.to_i64().ok()).filter(|n| *n >= 0);
    if let Some(dims) = data.dims() {
        c.set_output(0, PartialShape::new(&[&[rows], &dims[1..]].concat()));
    }
    Ok(())
}

/// The gradient of a sparse segment reduction, by the op of that name.
///
/// Errors: none.
pub(crate) fn sparse_segment_gradient(op: &Operation, grads: &OutGrads, grad_op: &str) -> Result<Vec<Option<Grad>>> {
    let graph = op.graph();
    let bounds = [&[0i32], &[1], &[1]].map(|bound| graph.constant_vector(bound));
    let shape = crate::array::dims::shape_of(&op.input(0));
    let rows = graph.op("StridedSlice").input(shape).inputs(bounds).attr("shrink_axis_mask", 1i64).output();
    let dx = graph.op(grad_op).inputs([grads.dense(0), op.input(1), op.input(2), rows]).output();
    let mut all = vec![None; op.num_inputs()];
    all[0] = Some(dx.into());
    Ok(all)
}
