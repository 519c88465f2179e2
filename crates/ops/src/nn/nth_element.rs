//! `NthElement`: the n-th least element of each row.

use crate::prelude::*;
use ferroflow_tensor::Element;
use std::cmp::Ordering;

pub const OP: OpSpec = OpSpec {
    signature: "NthElement(input: T, n: int32) -> (values: T)",
    attrs: "reverse: bool = false; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "For each row along the last dimension the element that is at place `n` when they are sorted, from the end if `reverse`.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

fn nth<T: Element + PartialOrd>(x: &Tensor, shape: Shape, n: usize, width: usize) -> Result<Tensor> {
    let rows = x.as_slice::<T>()?.chunks_exact(width);
    let pick = |row: &[T]| {
        let mut row = row.to_vec();
        *row.select_nth_unstable_by(n, |a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal)).1
    };
    Tensor::from_slice(shape, &rows.map(pick).collect::<Vec<T>>())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, n) = (ctx.input(0)?, ctx.input(1)?);
    if !n.shape().is_scalar() {
        return Err(invalid_argument(format!("N must be scalar but has rank {}", n.rank())));
    }
    let n = n.to_i64()?;
    let Some((&width, outer)) = x.dims().split_last() else { return Err(invalid_argument("Input must be >= 1-D, got shape []")) };
    if n < 0 || n >= width {
        return Err(invalid_argument(format!("Input must have last dimension > n = {n} but is {width}")));
    }
    let n = if ctx.node.attrs.bool("reverse")? { width - n - 1 } else { n } as usize;
    let shape = Shape::new(outer)?;
    let y =
        with_real!(x.dtype() => T, { nth::<T>(x, shape, n, width as usize)? }, else { return Err(unsupported("NthElement", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 0)?;
    if let Some((_, outer)) = c.with_rank_at_least(0, 1)?.dims().and_then(|d| d.split_last()) {
        c.set_output(0, PartialShape::new(outer));
    }
    Ok(())
}
