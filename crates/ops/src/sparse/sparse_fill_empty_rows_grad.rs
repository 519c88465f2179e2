//! `SparseFillEmptyRowsGrad`: the gradient of `SparseFillEmptyRows`.

use super::coo::pick;
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "SparseFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T) -> (d_values: T, d_default_value: T)",
    attrs: "T: type",
    doc: "The gradient of the values, and that of the default value, from the gradient of the filled values.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    ..WORDS
};

fn rest<T: Arithmetic + Element>(grads: &Tensor, used: &[bool]) -> Result<Tensor> {
    let left = grads.as_slice::<T>()?.iter().zip(used).filter(|(_, used)| !**used);
    Ok(Tensor::scalar(left.fold(T::default(), |sum, (&g, _)| sum.plus(g))))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (map, grads) = (ctx.input(0)?, ctx.input(1)?);
    if map.rank() != 1 {
        return Err(invalid_argument(format!("reverse_index_map must be a vector, saw: {}", map.shape())));
    }
    if grads.rank() != 1 {
        return Err(invalid_argument(format!("grad_values must be a vector, saw: {}", grads.shape())));
    }
    let n = grads.num_elements();
    let mut used = vec![false; n];
    let mut which = Vec::with_capacity(map.num_elements());
    for &i in map.as_slice::<i64>()? {
        let Some(at) = usize::try_from(i).ok().filter(|&i| i < n) else {
            return Err(invalid_argument(format!("Elements in reverse index must be in [0, {n}) but got {i}")));
        };
        used[at] = true;
        which.push(at);
    }
    let values = pick(grads, &which)?;
    let default = with_numeric!(grads.dtype() => T, { rest::<T>(grads, &used)? }, else { return Err(unsupported("SparseFillEmptyRowsGrad", grads.dtype())) });
    ctx.set_output(0, values);
    ctx.set_output(1, default);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let map = c.with_rank(0, 1)?;
    c.with_rank(1, 1)?;
    c.set_output(0, map);
    c.set_output(1, PartialShape::scalar());
    Ok(())
}
