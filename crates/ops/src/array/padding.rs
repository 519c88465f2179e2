//! Margins around a tensor: what `Pad` and `PadV2` share.

use super::elements::{Rearrange, rearrange};
use super::strided::{PerDim, StridedView, row_major};
use crate::prelude::*;

/// The margins before and behind, per dimension.
///
/// Errors: `InvalidArgument` for a tensor that is no matrix of two columns and one row per dimension, or a negative margin.
pub(crate) fn margins(paddings: &Tensor, x: &Shape) -> Result<Vec<(i64, i64)>> {
    if paddings.rank() != 2 || paddings.dims()[1] != 2 {
        return Err(invalid_argument(format!("paddings must be a matrix with 2 columns: {}", paddings.shape())));
    }
    if paddings.dims()[0] != x.rank() as i64 {
        return Err(invalid_argument(format!("The first dimension of paddings must be the rank of inputs{} {x}", paddings.shape())));
    }
    let values = paddings.to_i64s()?;
    let pairs: Vec<(i64, i64)> = values.chunks_exact(2).map(|p| (p[0], p[1])).collect();
    match pairs.iter().find(|(a, b)| *a < 0 || *b < 0) {
        Some((a, b)) => Err(invalid_argument(format!("Paddings must be non-negative: {a} {b}"))),
        None => Ok(pairs),
    }
}

struct Padding {
    view: StridedView,
}

impl Rearrange for Padding {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        out.fill(inputs[1][0].clone());
        let Some(&width) = self.view.dims.last() else {
            // A scalar has no margins.
            out.clone_from_slice(inputs[0]);
            return Ok(());
        };
        if inputs[0].is_empty() {
            return Ok(());
        }
        // Whole rows at a time.
        let last = self.view.dims.len() - 1;
        let rows = StridedView { offset: self.view.offset, dims: self.view.dims[..last].into(), strides: self.view.strides[..last].into() };
        let mut index: PerDim<usize> = rows.dims.iter().map(|_| 0).collect();
        let mut at = rows.offset;
        for row in inputs[0].chunks_exact(width) {
            out[at as usize..at as usize + width].clone_from_slice(row);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                at += rows.strides[axis];
                if index[axis] < rows.dims[axis] {
                    break;
                }
                at -= rows.strides[axis] * rows.dims[axis] as isize;
                index[axis] = 0;
            }
        }
        Ok(())
    }
}

/// `x` with margins of the value of the scalar `fill`.
///
/// Errors: as [`margins`]; `InvalidArgument` if the result is too large for a shape.
pub(crate) fn pad(x: &Tensor, paddings: &Tensor, fill: &Tensor) -> Result<Tensor> {
    let margins = margins(paddings, x.shape())?;
    let too_large = || invalid_argument("the padded tensor is too large");
    let dims: Vec<i64> = x
        .dims()
        .iter()
        .zip(&margins)
        .map(|(&d, (a, b))| d.checked_add(*a).and_then(|d| d.checked_add(*b)).ok_or_else(too_large))
        .collect::<Result<_>>()?;
    let shape = Shape::new(&dims)?;
    if shape == *x.shape() {
        return Ok(x.clone());
    }
    let strides = row_major(&dims);
    let offset = margins.iter().zip(&strides).map(|((a, _), &s)| *a as isize * s).sum();
    let view = StridedView { offset, dims: x.dims().iter().map(|&d| d as usize).collect(), strides };
    rearrange(&[x, fill], shape, &Padding { view })
}

/// What is known of the padded shape.
///
/// Errors: `InvalidArgument` as [`margins`].
pub(crate) fn infer(c: &mut ShapeContext) -> Result<()> {
    let paddings = c.with_rank(1, 2)?;
    if paddings.dim(1).is_some_and(|d| d != 2) {
        return Err(invalid_argument(format!("paddings must be a matrix with 2 columns: {paddings}")));
    }
    let s = match paddings.dim(0) {
        Some(n) => c.with_rank(0, n as usize)?,
        None => c.input(0),
    };
    let Some(dims) = s.dims() else { return Ok(()) };
    let out = match c.constant(1) {
        None => vec![None; dims.len()],
        Some(p) => {
            let margins = margins(p, &Shape::new(&vec![0; dims.len()])?)?;
            dims.iter().zip(margins).map(|(d, (a, b))| d.and_then(|d| d.checked_add(a)?.checked_add(b))).collect()
        }
    };
    c.set_output(0, PartialShape::new(&out));
    Ok(())
}

/// The gradient of the padded tensor: the gradient without the margins.
///
/// Errors: none of its own.
pub(crate) fn gradient_of_input(op: &Operation, grads: &OutGrads) -> Result<Grad> {
    let g = op.graph();
    let (x, paddings) = (op.input(0), op.input(1));
    let vector = |v: &[i32]| g.constant_vector(v);
    // The column of margins before.
    let begin = g
        .op("StridedSlice")
        .inputs([paddings.clone(), vector(&[0, 0]), vector(&[0, 0]), vector(&[1, 1])])
        .attr("begin_mask", 1i64)
        .attr("end_mask", 1i64)
        .attr("shrink_axis_mask", 2i64)
        .output();
    let size = g.op("Shape").input(&x).attr("out_type", paddings.dtype()).output();
    Ok(g.op("Slice").inputs([grads.dense(0), begin, size]).output().into())
}
