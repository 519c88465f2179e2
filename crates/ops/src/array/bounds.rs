//! Searching in sorted rows: what `LowerBound` and `UpperBound` share.

use super::dims::index_tensor;
use crate::prelude::*;
use ferroflow_tensor::Element;

fn search<T: Element + PartialOrd>(sorted: &Tensor, values: &Tensor, upper: bool) -> Result<Vec<i64>> {
    let (width, count) = (sorted.dims()[1] as usize, values.dims()[1] as usize);
    let (sorted, values) = (sorted.as_slice::<T>()?, values.as_slice::<T>()?);
    let place = |(i, v): (usize, &T)| {
        let row = i / count;
        sorted[row * width..(row + 1) * width].partition_point(|s| if upper { s <= v } else { s < v }) as i64
    };
    Ok(values.iter().enumerate().map(place).collect())
}

/// Sets output 0 to how many elements of the row are less than each value or, for the upper bound, not greater.
///
/// Errors: `InvalidArgument` if the inputs are not two matrices with equally many rows.
pub(crate) fn compute(ctx: &mut OpKernelContext, upper: bool) -> Result<()> {
    let (sorted, values) = (ctx.input(0)?, ctx.input(1)?);
    if sorted.rank() != 2 || values.rank() != 2 {
        return Err(invalid_argument("sorted input argument and values argument must be matrices"));
    }
    if sorted.dims()[0] != values.dims()[0] {
        return Err(invalid_argument("Leading dim_size of both tensors must match."));
    }
    let places = with_real!(sorted.dtype() => T, { search::<T>(sorted, values, upper)? }, else { return Err(unsupported("LowerBound", sorted.dtype())) });
    let y = index_tensor(ctx.node.output_types[0].dtype, values.shape().clone(), &places)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of the values.
///
/// Errors: `InvalidArgument` if the inputs cannot be matrices.
pub(crate) fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 2)?;
    let values = c.with_rank(1, 2)?;
    c.set_output(0, values);
    Ok(())
}
