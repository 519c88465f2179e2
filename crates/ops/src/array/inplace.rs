//! Rows of a tensor replaced or added to: what `InplaceUpdate`, `InplaceAdd` and `InplaceSub` share.

use crate::prelude::*;
use crate::state::element_update::{Rows, Update, update_rows};

/// Sets output 0 to input 0 with row `i[k]` changed by row `k` of `v`; numbers of rows wrap around. The memory of input 0 is reused
/// where nobody else holds it.
///
/// Errors: `InvalidArgument` for shapes that do not fit.
pub(crate) fn compute(ctx: &mut OpKernelContext, update: Update) -> Result<()> {
    let mut x = ctx.take_input(0)?;
    let (i, v) = (ctx.input(1)?, ctx.input(2)?);
    if i.rank() != 1 {
        return Err(invalid_argument(format!("i must be a vector. {}", i.shape())));
    }
    if x.rank() == 0 || x.rank() != v.rank() || x.dims()[1..] != v.dims()[1..] {
        return Err(invalid_argument(format!("x and v shape doesn't match: {} vs. {}", x.shape(), v.shape())));
    }
    if i.dims()[0] != v.dims()[0] {
        return Err(invalid_argument(format!("i and v shape doesn't match: {} vs. {}", i.shape(), v.shape())));
    }
    let rows = x.dims()[0];
    if rows == 0 && i.num_elements() > 0 {
        return Err(invalid_argument("x has no rows"));
    }
    let width = x.dims()[1..].iter().product::<i64>() as usize;
    let starts: Vec<usize> = i.to_i64s()?.iter().map(|r| r.rem_euclid(rows) as usize * width).collect();
    let v = v.clone().reshaped(Shape::from_lens(&[starts.len(), width])?)?;
    update_rows(update, &mut x, &Rows { starts: &starts, width, updates: &v })?;
    ctx.set_output(0, x);
    Ok(())
}
