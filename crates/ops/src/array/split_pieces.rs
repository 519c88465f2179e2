//! Cutting a tensor along an axis: what `Split` and `SplitV` share.

use super::strided::StridedView;
use crate::parallel::pool;
use crate::prelude::*;

/// The axis to split, counted from the front.
///
/// Errors: `InvalidArgument` in TF's words.
pub(crate) fn axis(at: i64, rank: usize) -> Result<usize> {
    super::dims::axis_in(at, rank)
        .map_err(|_| invalid_argument(format!("-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}")))
}

/// Sets one output per size: the pieces of `x` one behind the other along `axis`. Pieces along the first axis share memory.
///
/// Errors: `InvalidArgument` if the sizes are not those of the outputs or reach past the end.
pub(crate) fn cut(ctx: &mut OpKernelContext, x: &Tensor, axis: usize, sizes: &[i64]) -> Result<()> {
    if sizes.len() != ctx.node.output_types.len() {
        return Err(invalid_argument(format!("{} sizes for {} outputs", sizes.len(), ctx.node.output_types.len())));
    }
    let mut at = 0i64;
    for (i, &size) in sizes.iter().enumerate() {
        let y = if axis == 0 {
            x.rows(at as usize, size as usize)?
        } else {
            let mut dims = x.dims().to_vec();
            dims[axis] = size;
            let mut view = StridedView::of(x.dims());
            view.offset = at as isize * view.strides[axis];
            view.dims[axis] = size as usize;
            view.copy(x, Shape::new(&dims)?, &pool(ctx.step))?
        };
        at += size;
        ctx.set_output(i, y);
    }
    Ok(())
}
