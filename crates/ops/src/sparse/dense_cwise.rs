//! A sparse tensor and a dense one, element by element: what `SparseDenseCwiseAdd`, `…Mul` and `…Div` share.

use super::coo::Coo;
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;

/// Which operation.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Cwise {
    Add,
    Mul,
    Div,
}

fn apply<T: Arithmetic + Element>(x: &Coo, dense: &Tensor, places: &[usize], how: Cwise) -> Result<Tensor> {
    let dense = dense.as_slice::<T>()?;
    let values = x.values.as_slice::<T>()?;
    let others = places.iter().map(|&p| dense[p]);
    if how == Cwise::Div && !T::DIVIDES_BY_NOTHING && others.clone().any(T::is_zero) {
        return Err(invalid_argument("Integer division by zero"));
    }
    let all: Vec<T> = values
        .iter()
        .zip(others)
        .map(|(&v, d)| match how {
            Cwise::Add => v.plus(d),
            Cwise::Mul => v.times(d),
            Cwise::Div => v.over(d),
        })
        .collect();
    Tensor::vector(&all)
}

/// Sets output 0 to the values at the places of the sparse tensor, to whose shape the dense one is broadcast.
///
/// Errors: `InvalidArgument` for malformed inputs, or shapes that cannot be broadcast.
pub(super) fn compute(ctx: &mut OpKernelContext, how: Cwise) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let dense = ctx.input(3)?;
    x.check_bounds()?;
    let fits = dense.rank() <= x.rank() && dense.dims().iter().rev().zip(x.dims.iter().rev()).all(|(d, s)| d == s || *d == 1);
    if !fits {
        return Err(invalid_argument(format!(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {:?} vs. {}",
            x.dims,
            dense.shape()
        )));
    }
    let skipped = x.rank() - dense.rank();
    let place =
        |i: usize| x.at(i)[skipped..].iter().zip(dense.dims()).fold(0, |p, (&c, &d)| p * d as usize + if d == 1 { 0 } else { c as usize });
    let places: Vec<usize> = (0..x.len()).map(place).collect();
    let y = with_numeric!(dense.dtype() => T, { apply::<T>(&x, dense, &places, how)? }, else { return Err(unsupported("SparseDenseCwise", dense.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of the values.
///
/// Errors: `InvalidArgument` if the indices are no matrix.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.with_rank(0, 2)?.dim(0);
    c.set_output(0, PartialShape::new(&[n]));
    Ok(())
}
