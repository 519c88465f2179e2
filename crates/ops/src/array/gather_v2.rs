//! `GatherV2`: slices along an axis, picked by index.

use super::dims::{constant_value, product, shape_of};
use super::gathering::{Gathering, checked};
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> (output: Tparams)",
    attrs: "batch_dims: int = 0; Tparams: type; Tindices: type in {int16, int32, int64}; Taxis: type in {int32, int64}",
    doc: "The slices of `params` along `axis` that `indices` name. The result has the shape of `params` with that dimension replaced by \
          those of `indices`; the first `batch_dims` dimensions, which both share, are gathered each on their own.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let axis = ctx.input(2)?;
    if axis.num_elements() != 1 || axis.rank() > 0 {
        return Err(invalid_argument("axis must be scalar"));
    }
    let (axis, batch_dims) = (axis.to_i64()?, ctx.node.attrs.int("batch_dims")?);
    gather(ctx, axis, batch_dims)
}

/// Gathers input 0 by input 1.
///
/// Errors: `InvalidArgument` for a scalar, an axis out of range, batch dimensions that differ, or an index out of range.
pub(crate) fn gather(ctx: &mut OpKernelContext, axis: i64, batch_dims: i64) -> Result<()> {
    let (x, indices) = (ctx.input(0)?, ctx.input(1)?);
    if x.rank() == 0 {
        return Err(invalid_argument("params must be at least 1 dimensional"));
    }
    let rank = x.rank() as i64;
    if !(-rank..rank).contains(&axis) {
        return Err(invalid_argument(format!(
            "Shape must be at least rank {} but is rank {rank}",
            if axis < 0 { -axis } else { axis.saturating_add(1) }
        )));
    }
    let axis = (if axis < 0 { axis + rank } else { axis }) as usize;
    let indices_rank = indices.rank() as i64;
    let batch_dims = if batch_dims < 0 { batch_dims + indices_rank } else { batch_dims };
    if !(0..=indices_rank).contains(&batch_dims) || batch_dims as usize > axis {
        return Err(invalid_argument(format!(
            "batch_dims ({batch_dims}) must be at most axis ({axis}) and the rank of indices ({indices_rank})"
        )));
    }
    let b = batch_dims as usize;
    if x.dims()[..b] != indices.dims()[..b] {
        return Err(invalid_argument(format!(
            "params.shape{} and indices.shape{} differ in the batch dimensions",
            x.shape(),
            indices.shape()
        )));
    }
    let n = x.dims()[axis] as usize;
    let picked = checked(indices, n)?;
    let dims: Vec<i64> = [&x.dims()[..axis], &indices.dims()[b..], &x.dims()[axis + 1..]].concat();
    let gathering = Gathering {
        batch: product(&x.dims()[..b]),
        outer: product(&x.dims()[b..axis]),
        n,
        inner: product(&x.dims()[axis + 1..]),
        indices: &picked,
        pool: &pool(ctx.step),
    };
    let y = gathering.run(x, Shape::new(&dims)?)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let axis = match c.constant(2) {
        Some(t) => Some(t.to_i64()?),
        None => None,
    };
    let batch_dims = c.node().attrs.int("batch_dims")?;
    infer(c, axis, batch_dims)
}

/// What is known of the result's shape.
///
/// Errors: `InvalidArgument` for a scalar or an axis out of range.
pub(crate) fn infer(c: &mut ShapeContext, axis: Option<i64>, batch_dims: i64) -> Result<()> {
    let (params, indices) = (c.with_rank_at_least(0, 1)?, c.input(1));
    let (Some(p), Some(i)) = (params.dims(), indices.dims()) else { return Ok(()) };
    let batch_dims = if batch_dims < 0 { batch_dims + i.len() as i64 } else { batch_dims };
    let b = usize::try_from(batch_dims).ok().filter(|&b| b <= i.len() && b < p.len());
    let b = b.ok_or_else(|| invalid_argument(format!("batch_dims ({batch_dims}) does not fit params {params} and indices {indices}")))?;
    let Some(axis) = axis else {
        c.set_output(0, PartialShape::of_rank(p.len() - 1 + i.len() - b));
        return Ok(());
    };
    let axis = super::dims::axis_in(axis, p.len())
        .map_err(|_| invalid_argument(format!("Shape must be at least rank {} but is rank {}", axis.saturating_add(1), p.len())))?;
    let dims: Vec<Option<i64>> = [&p[..axis], &i[b..], &p[axis + 1..]].concat();
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let axis = constant_value(&op.input(2)).map(|t| t.to_i64()).transpose()?;
    let dx = gradient_of_params(op, grads, axis, op.with_attrs(|a| a.int("batch_dims"))?)?;
    Ok(vec![Some(dx), None, None])
}

/// The gradient of input 0. Along the first axis it is the gathered rows; along others it is a tensor.
///
/// Errors: `Unimplemented` if the axis or the rank is not known while the graph is built, or there are batch dimensions.
pub(crate) fn gradient_of_params(op: &Operation, grads: &OutGrads, axis: Option<i64>, batch_dims: i64) -> Result<Grad> {
    let g = op.graph();
    let (params, indices) = (op.input(0), op.input(1));
    let rank = params.shape().rank();
    let axis = match (axis, rank) {
        (Some(a), _) if a >= 0 => Some(a as usize),
        (Some(a), Some(r)) => Some(super::dims::axis_in(a, r)?),
        _ => None,
    };
    if batch_dims != 0 {
        return Err(unimplemented("the gradient of GatherV2 with batch_dims"));
    }
    let flat = g.op("Reshape").inputs([indices.clone(), g.constant_vector(&[-1i32])]).output();
    let whole = shape_of(&params);
    let vector = |v: i32| g.constant_vector(&[v]);
    let part = |from: i32, to: i32, to_end: bool| {
        let mask = if to_end { 1i64 } else { 0 };
        g.op("StridedSlice").inputs([whole.clone(), vector(from), vector(to), vector(1)]).attr("end_mask", mask).output()
    };
    match (axis, rank) {
        (Some(0), _) => {
            let shape = g.op("ConcatV2").input_list([vector(-1), part(1, 0, true)]).input(g.constant(0i32)).output();
            // Reshape cannot infer the number of rows when a row is empty, so name it.
            let count = g.op("Size").input(&flat).output();
            let count = g.op("Reshape").inputs([count, vector(1)]).output();
            let shape = match params.shape().dims() {
                Some(d) if d[1..].iter().all(|d| d.is_some_and(|d| d > 0)) => shape,
                _ => g.op("ConcatV2").input_list([count, part(1, 0, true)]).input(g.constant(0i32)).output(),
            };
            let values = g.op("Reshape").inputs([grads.dense(0), shape]).output();
            Ok(Grad::Slices { values, indices: flat, dense_shape: whole })
        }
        (Some(axis), Some(rank)) => {
            let count = g.op("Reshape").inputs([g.op("Size").input(&flat).output(), vector(1)]).output();
            let shape = [part(0, axis as i32, false), count, part(axis as i32 + 1, 0, true)];
            let shape = g.op("ConcatV2").input_list(shape).input(g.constant(0i32)).output();
            let values = g.op("Reshape").inputs([grads.dense(0), shape]).output();
            // The axis to the front, add up, and back.
            let front: Vec<i32> = std::iter::once(axis).chain((0..rank).filter(|&i| i != axis)).map(|i| i as i32).collect();
            let back: Vec<i32> = (1..=axis).chain([0]).chain(axis + 1..rank).map(|i| i as i32).collect();
            let values = g.op("Transpose").inputs([values, g.constant_vector(&front)]).output();
            let n = g.op("Reshape").inputs([part(axis as i32, axis as i32 + 1, false), g.constant_vector(&[0i32; 0])]).output();
            let sum = g.op("UnsortedSegmentSum").inputs([values, flat, n]).output();
            Ok(g.op("Transpose").inputs([sum, g.constant_vector(&back)]).output().into())
        }
        _ => Err(unimplemented("the gradient of GatherV2 along an axis that is not a constant, or of params of unknown rank")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(x: Tensor, indices: Tensor, axis: i32, batch_dims: i64) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(indices).input(axis).attr("batch_dims", batch_dims).run_one()
    }

    #[test]
    fn slices_are_picked_along_any_axis() {
        let x = || tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
        let y = gather(x(), tensor(&[1, 2], &[1i32, 0]), 0, 0).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[1i64, 2, 3][..], &[4, 5, 6, 1, 2, 3][..]));
        let y = gather(x(), tensor(&[2], &[2i64, 2]), -1, 0).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[2i64, 2][..], &[3, 3, 6, 6][..]));
        let y = gather(x(), tensor(&[2, 1], &[2i16, 0]), 1, 1).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[2i64, 1][..], &[3, 4][..]));
        let y = gather(strings(&[2], &["a", "b"]), Tensor::scalar(1i32), 0, 0).unwrap();
        assert_eq!((y.rank(), y.as_strings().unwrap()), (0, &["b".into()][..]));
        assert_eq!(gather(tensor::<f32>(&[0, 3], &[]), tensor::<i32>(&[0], &[]), 0, 0).unwrap().dims(), [0, 3]);
    }

    #[test]
    fn an_index_out_of_range_is_named() {
        let x = || tensor(&[4], &[0f32; 4]);
        assert_eq!(gather(x(), tensor(&[1], &[4i32]), 0, 0).unwrap_err().bare_message(), "indices[0] = 4 is not in [0, 4)");
        let e = gather(x(), tensor(&[1, 2], &[0i32, -1]), 0, 0).unwrap_err();
        assert_eq!(e.bare_message(), "indices[0,1] = -1 is not in [0, 4)");
        assert_eq!(gather(x(), tensor(&[1], &[0i32]), 1, 0).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(gather(x(), tensor(&[1], &[0i32]), 0, 1).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(gather(Tensor::scalar(1f32), tensor(&[1], &[0i32]), 0, 0).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_adds_up_repeated_rows() {
        check_gradient(&[tensor(&[3, 2], &[1f64, 2.0, 3.0, 4.0, 5.0, 6.0])], |g, x| {
            g.op("GatherV2").inputs([x[0].clone(), g.constant_vector(&[2i32, 0, 2]), g.constant(0i32)]).build()
        });
    }
}
