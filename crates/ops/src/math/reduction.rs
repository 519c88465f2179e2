//! Reductions over axes that an argument names (TF: `ReductionOp`, `ReductionShape`).

use super::broadcasting::lens;
use super::elementwise::refused;
use crate::array::dims::shape_of;
use crate::math::backward::apply;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{Axes, ReduceOp};
use smallvec::SmallVec;

/// Which dimensions of a tensor of this rank the axes in `axes` name.
///
/// Errors: `InvalidArgument` for an axis outside the rank, one named twice, or axes that are no vector.
fn marked(axes: &Tensor, rank: usize) -> Result<SmallVec<[bool; 6]>> {
    if axes.rank() > 1 {
        return Err(invalid_argument(format!("reduction_indices must be a scalar or a vector, got shape {}", axes.shape())));
    }
    let mut reduced: SmallVec<[bool; 6]> = SmallVec::from_elem(false, rank);
    for &axis in &axes.to_i64s()? {
        let place = usize::try_from(if axis < 0 { axis.saturating_add(rank as i64) } else { axis }).ok();
        match place.and_then(|at| reduced.get_mut(at).map(|mark| (at, mark))) {
            None => return Err(invalid_argument(format!("Invalid reduction dimension ({axis} for input with {rank} dimension(s)"))),
            Some((at, true)) => {
                return Err(invalid_argument(format!("Invalid reduction arguments: Axes contains duplicate dimension: {at}")));
            }
            Some((_, mark)) => *mark = true,
        }
    }
    Ok(reduced)
}

/// The shape without the marked dimensions, or with 1 in their place.
fn remaining<D: Copy>(dims: impl IntoIterator<Item = D>, reduced: &[bool], keep_dims: bool, one: D) -> Vec<D> {
    dims.into_iter().zip(reduced).filter(|(_, r)| keep_dims || !**r).map(|(d, r)| if *r { one } else { d }).collect()
}

/// What input 1 says of the shape of input 0: marks, and the shape of the result.
fn arguments(ctx: &OpKernelContext) -> Result<(SmallVec<[bool; 6]>, Shape)> {
    let x = ctx.input(0)?;
    let reduced = marked(ctx.input(1)?, x.rank())?;
    let keep_dims = ctx.node.attrs.bool("keep_dims")?;
    let shape = Shape::new(&remaining(x.dims().iter().copied(), &reduced, keep_dims, 1))?;
    Ok((reduced, shape))
}

/// y = x reduced.
///
/// Errors: `InvalidArgument` for axes that are not those of x.
pub(crate) fn reduction(ctx: &mut OpKernelContext, op: ReduceOp) -> Result<()> {
    let (reduced, shape) = arguments(ctx)?;
    let x = ctx.input(0)?;
    let dtype = x.dtype();
    let nothing_to_do = reduced.iter().zip(x.dims()).all(|(r, d)| !r || *d == 1) && op != ReduceOp::EuclideanNorm;
    let y = if nothing_to_do {
        x.clone().reshaped(shape)?
    } else {
        let axes = Axes::new(&lens(x.shape()), &reduced);
        let mut y = Tensor::for_overwrite(dtype, shape)?;
        with_numeric!(dtype => T, {
            ferroflow_math::reduce::<T>(&pool(ctx.step), op, x.as_slice()?, &axes, y.as_mut_slice()?).map_err(|e| refused(e, dtype))?;
        }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
        y
    };
    ctx.set_output(0, y);
    Ok(())
}

/// y = whether any (or all) of the reduced elements are true.
///
/// Errors: as [`reduction`].
pub(crate) fn truth(ctx: &mut OpKernelContext, any: bool) -> Result<()> {
    let (reduced, shape) = arguments(ctx)?;
    let x = ctx.input(0)?;
    let axes = Axes::new(&lens(x.shape()), &reduced);
    let mut y = Tensor::for_overwrite(DType::Bool, shape)?;
    let of = if any { ferroflow_math::any } else { ferroflow_math::all };
    of(&pool(ctx.step), x.as_slice()?, &axes, y.as_mut_slice()?);
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of a reduction's result.
///
/// Errors: `InvalidArgument` for axes that are not those of the input.
pub(crate) fn reduction_shape(c: &mut ShapeContext) -> Result<()> {
    let keep_dims = c.node().attrs.bool("keep_dims")?;
    let input = c.input(0);
    let Some(dims) = input.dims() else { return Ok(()) };
    match c.constant(1) {
        Some(axes) => {
            let reduced = marked(axes, dims.len())?;
            c.set_output(0, PartialShape::new(&remaining(dims.iter().copied(), &reduced, keep_dims, Some(1))));
        }
        None if keep_dims => c.set_output(0, PartialShape::of_rank(dims.len())),
        None => {}
    }
    Ok(())
}

/// The value of a constant.
fn constant(x: &Output) -> Option<Tensor> {
    if x.op().op_name() != "Const" { None } else { x.op().with_attrs(|a| a.tensor("value").cloned()).ok() }
}

/// The shape of a reduction's result with 1 in the place of each reduced dimension, as a vector in the graph.
///
/// Errors: `InvalidArgument` for constant axes that are not those of `x`.
pub(crate) fn kept_shape(x: &Output, axes: &Output) -> Result<Output> {
    let graph = x.graph();
    if let (Some(shape), Some(axes)) = (x.shape().to_shape(), constant(axes)) {
        let reduced = marked(&axes, shape.rank())?;
        let kept: Option<Vec<i32>> =
            remaining(shape.dims().iter().copied(), &reduced, true, 1).iter().map(|&d| i32::try_from(d).ok()).collect();
        if let Some(kept) = kept {
            return Ok(graph.constant_vector(&kept));
        }
    }
    let shape = shape_of(x);
    let axes = graph.op("Cast").input(axes).attr("DstT", DType::Int32).output();
    let axes = apply("Reshape", &[&axes, &graph.constant_vector(&[-1i32])]);
    let rank = apply("Size", &[&shape]);
    let axes = apply("FloorMod", &[&apply("AddV2", &[&axes, &rank]), &rank]);
    let all = apply("Range", &[&graph.constant(0i32), &rank, &graph.constant(1i32)]);
    let ones = apply("Fill", &[&apply("Shape", &[&axes]), &graph.constant(1i32)]);
    Ok(graph.op("DynamicStitch").input_list([all, axes]).input_list([shape, ones]).output())
}

/// `x` in the shape of the reduction's argument: repeated along the reduced dimensions.
///
/// Errors: as [`kept_shape`].
pub(crate) fn spread(op: &Operation, x: &Output) -> Result<Output> {
    let kept = apply("Reshape", &[x, &kept_shape(&op.input(0), &op.input(1))?]);
    Ok(apply("BroadcastTo", &[&kept, &shape_of(&op.input(0))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(axes: Tensor, keep_dims: bool) -> Result<Tensor> {
        OpTester::named("Sum").input(tensor(&[2, 3], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])).input(axes).attr("keep_dims", keep_dims).run_one()
    }

    #[test]
    fn the_axes_that_are_named_are_reduced() {
        for (axes, keep, dims, values) in [
            (vec![0i32], false, vec![3i64], vec![5f32, 7.0, 9.0]),
            (vec![-1], true, vec![2, 1], vec![6.0, 15.0]),
            (vec![0, 1], false, vec![], vec![21.0]),
            (vec![], false, vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ] {
            let y = sum(tensor(&[axes.len() as i64], &axes), keep).unwrap();
            assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&dims[..], &values[..]));
        }
    }

    #[test]
    fn axes_outside_the_rank_or_named_twice_are_refused() {
        let message = |axes: &[i32]| sum(tensor(&[axes.len() as i64], axes), false).unwrap_err().bare_message().to_owned();
        assert_eq!(message(&[2]), "Invalid reduction dimension (2 for input with 2 dimension(s)");
        assert_eq!(message(&[i32::MIN]), "Invalid reduction dimension (-2147483648 for input with 2 dimension(s)");
        assert_eq!(message(&[0, -2]), "Invalid reduction arguments: Axes contains duplicate dimension: 0");
        assert_eq!(sum(tensor(&[1, 1], &[0i32]), false).unwrap_err().code(), Code::InvalidArgument);
    }
}
