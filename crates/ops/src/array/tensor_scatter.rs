//! Scattering into a tensor that is no variable: what `TensorScatterUpdate`, `TensorScatterAdd`, … share.

use super::nd_indices::{BadIndices, NdIndices};
use crate::prelude::*;
use crate::state::element_update::{Rows, Update, update_rows};

/// Sets output 0 to input 0 with the slices that input 1 names changed by input 2.
///
/// Errors: `InvalidArgument` for shapes that do not fit or an index out of range.
pub(crate) fn compute(ctx: &mut OpKernelContext, update: Update) -> Result<()> {
    let mut y = ctx.take_input(0)?;
    let (indices, updates) = (ctx.input(1)?, ctx.input(2)?);
    let Some((&depth, outer)) = indices.dims().split_last() else {
        return Err(invalid_argument(format!("Indices shape must have rank at least one. Found: {}", indices.shape())));
    };
    if y.rank() == 0 {
        return Err(invalid_argument("Tensor must have rank at least one"));
    }
    if updates.rank() == 0 {
        return Err(invalid_argument("Updates shape must have rank at least one. Found: []"));
    }
    if depth as usize > y.rank() {
        return Err(invalid_argument(format!(
            "The inner {depth} dimensions of the tensor's shape {} must match the depth of indices.shape={}",
            y.shape(),
            indices.shape()
        )));
    }
    let expected = [outer, &y.dims()[depth as usize..]].concat();
    if updates.dims() != expected {
        return Err(invalid_argument(format!(
            "updates of shape {} do not fit indices of shape {} into a tensor of shape {}",
            updates.shape(),
            indices.shape(),
            y.shape()
        )));
    }
    if y.num_elements() == 0 && updates.num_elements() + indices.num_elements() > 0 {
        return Err(invalid_argument("Indices and updates specified for empty output"));
    }
    let shape = y.shape().clone();
    let places = NdIndices::new(indices, shape.dims(), BadIndices::of(&ctx.node.attrs)?, |at, index| {
        format!("indices{at} = {index} does not index into shape {shape}")
    })?;
    let updates = updates.clone().reshaped(Shape::from_lens(&[places.slices.len(), places.inner])?)?;
    let width = places.inner;
    if places.slices.iter().all(Option::is_some) {
        let starts: Vec<usize> = places.slices.iter().flatten().map(|s| s * width).collect();
        update_rows(update, &mut y, &Rows { starts: &starts, width, updates: &updates })?;
    } else {
        for (i, slice) in places.slices.iter().enumerate() {
            if let Some(slice) = slice {
                update_rows(update, &mut y, &Rows { starts: &[slice * width], width, updates: &updates.rows(i, 1)? })?;
            }
        }
    }
    ctx.set_output(0, y);
    Ok(())
}
