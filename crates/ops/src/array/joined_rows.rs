//! Putting tensors side by side: what `Concat`, `ConcatV2` and `Pack` share.

use super::dims::product;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

struct Joining<'a> {
    /// Number of blocks that are interleaved: the product of the dimensions before the axis.
    outer: usize,
    /// Elements that each input contributes to a block.
    widths: &'a [usize],
}

impl Rearrange for Joining<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let mut rest = out;
        for block in 0..self.outer {
            for (input, &width) in inputs.iter().zip(self.widths) {
                let (place, left) = rest.split_at_mut(width);
                place.clone_from_slice(&input[block * width..(block + 1) * width]);
                rest = left;
            }
        }
        Ok(())
    }
}

/// Tensors of equal dimensions except along `axis`, one behind the other along it; `shape` is that of the result. The inputs may
/// have a dimension less than the result (TF: `Pack`); then they contribute one slice each.
///
/// Errors: `Internal` if the sizes do not add up.
pub(crate) fn join(inputs: &[&Tensor], axis: usize, shape: Shape) -> Result<Tensor> {
    let outer = product(&shape.dims()[..axis]);
    let widths: Vec<usize> = inputs.iter().map(|t| t.num_elements().checked_div(outer).unwrap_or(0)).collect();
    if widths.iter().sum::<usize>() * outer != shape.num_elements() {
        return Err(internal(format!("the inputs do not make a tensor of shape {shape}")));
    }
    rearrange(inputs, shape, &Joining { outer, widths: &widths })
}

/// The shape of the concatenation, checked as TF does.
///
/// Errors: `InvalidArgument` if ranks or other dimensions differ, or there is no such axis.
pub(crate) fn concat_shape(inputs: &[&Tensor], axis: i64) -> Result<(usize, Shape)> {
    let Some(first) = inputs.first() else { return Err(invalid_argument("ConcatOp : there is nothing to concatenate")) };
    let rank = first.rank() as i64;
    if inputs.iter().any(|t| t.rank() == 0) {
        return Err(invalid_argument("ConcatOp : Can't concatenate scalars (use tf.stack instead)"));
    }
    if !(-rank..rank).contains(&axis) {
        return Err(invalid_argument(format!(
            "ConcatOp : Expected concatenating dimensions in the range [{}, {rank}), but got {axis}",
            -rank
        )));
    }
    let axis = (if axis < 0 { axis + rank } else { axis }) as usize;
    let mut dims = first.dims().to_vec();
    for (i, t) in inputs.iter().enumerate().skip(1) {
        if t.rank() != first.rank() {
            return Err(invalid_argument(format!(
                "ConcatOp : Ranks of all input tensors should match: shape[0] = {} vs. shape[{i}] = {}",
                first.shape(),
                t.shape()
            )));
        }
        for (d, (&have, &want)) in t.dims().iter().zip(first.dims()).enumerate() {
            if d == axis {
                dims[axis] = dims[axis].saturating_add(have);
            } else if have != want {
                return Err(invalid_argument(format!(
                    "ConcatOp : Dimension {d} in both shapes must be equal: shape[0] = {} vs. shape[{i}] = {}",
                    first.shape(),
                    t.shape()
                )));
            }
        }
    }
    Ok((axis, Shape::new(&dims)?))
}

/// Computes `Concat` or `ConcatV2`: the values are the inputs of `values`, the axis is input `axis`.
///
/// Errors: as [`concat_shape`]; `InvalidArgument` if the axis is no scalar.
pub(crate) fn concat(ctx: &mut OpKernelContext, values: std::ops::Range<usize>, axis: usize, axis_name: &str) -> Result<()> {
    let at = ctx.input(axis)?;
    // A vector of one element is taken too, as TF does.
    if at.num_elements() != 1 || at.rank() > 1 {
        return Err(invalid_argument(format!("{axis_name} tensor should be a scalar integer, but got shape {}", at.shape())));
    }
    let at = at.to_i64()?;
    let inputs: Vec<&Tensor> = values.clone().map(|i| ctx.input(i)).collect::<Result<_>>()?;
    let (at, shape) = concat_shape(&inputs, at)?;
    // All but one empty: nothing to copy.
    let mut full = inputs.iter().zip(values).filter(|(t, _)| t.num_elements() > 0);
    if let (Some((t, i)), None) = (full.next(), full.next())
        && *t.shape() == shape
    {
        return ctx.pass_on(i, 0);
    }
    let y = join(&inputs, at, shape)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The shape function of both, with the same arguments.
///
/// Errors: `InvalidArgument` if known shapes contradict each other.
pub(crate) fn infer(c: &mut ShapeContext, values: std::ops::Range<usize>, axis: usize) -> Result<()> {
    let rank = values.clone().find_map(|i| c.input(i).rank());
    let Some(rank) = rank else { return Ok(()) };
    if rank == 0 {
        return Err(invalid_argument("Can't concatenate scalars (use tf.stack instead)"));
    }
    let Some(at) = c.constant(axis) else {
        for i in values {
            c.with_rank(i, rank)?;
        }
        c.set_output(0, PartialShape::of_rank(rank));
        return Ok(());
    };
    let at = super::dims::axis_in(at.to_i64()?, rank)?;
    let mut sum = Some(0i64);
    let mut rest = PartialShape::of_rank(rank);
    for i in values {
        let s = c.with_rank(i, rank)?;
        sum = sum.zip(s.dim(at)).and_then(|(a, b)| a.checked_add(b));
        rest = rest.merge(&super::dims::with_dim(&s, at, None))?;
    }
    c.set_output(0, super::dims::with_dim(&rest, at, sum));
    Ok(())
}

/// The gradient of both: the parts of the gradient that belong to each value.
///
/// Errors: none of its own.
pub(crate) fn gradient(op: &Operation, grads: &OutGrads, values: std::ops::Range<usize>, axis: usize) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let dy = grads.dense(0);
    let at = op.input(axis);
    let shapes: Vec<Output> = if values.len() == 1 {
        vec![super::dims::shape_of(&op.input(values.start))]
    } else {
        g.op("ShapeN").input_list(values.clone().map(|i| op.input(i))).build().outputs()
    };
    let at = if at.dtype() == DType::Int32 { at } else { g.op("Cast").input(at).attr("DstT", DType::Int32).output() };
    let offsets = g.op("ConcatOffset").input(at).input_list(shapes.clone()).build().outputs();
    let mut all: Vec<Option<Grad>> = vec![None; op.num_inputs()];
    for ((i, begin), size) in values.zip(offsets).zip(shapes) {
        all[i] = Some(g.op("Slice").inputs([dy.clone(), begin, size]).output().into());
    }
    Ok(all)
}
