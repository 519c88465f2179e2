//! `Roll`: a tensor turned around along dimensions.

use super::blocks::{Blocks, flat, lens};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Roll(input: T, shift: Tshift, axis: Taxis) -> (output: T)",
    attrs: "T: type; Tshift: type in {int32, int64}; Taxis: type in {int32, int64}",
    doc: "`input` with the elements along each of `axis` moved on by `shift`; those that leave at the end come in at the front.",
    shape: shape::unchanged_with_rank_at_least::<1>,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, shift, axis) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    if x.rank() == 0 {
        return Err(invalid_argument("input must be 1-D or higher"));
    }
    if shift.rank() > 1 || axis.rank() > 1 {
        return Err(invalid_argument(format!(
            "shift and axis must be scalars or 1-D vectors. Found: {} and {}",
            shift.shape(),
            axis.shape()
        )));
    }
    if shift.dims() != axis.dims() {
        return Err(invalid_argument("shift and axis must have the same size"));
    }
    let dims = lens(x.dims());
    let mut moved = vec![0usize; dims.len()];
    for (&s, &a) in shift.to_i64s()?.iter().zip(axis.to_i64s()?.iter()) {
        let from_front = if a < 0 { a.saturating_add(dims.len() as i64) } else { a };
        let Some(a) = usize::try_from(from_front).ok().filter(|&a| a < dims.len()) else {
            return Err(invalid_argument(format!("axis {a} is out of range")));
        };
        let length = dims[a].max(1) as i64;
        moved[a] = (moved[a] + s.rem_euclid(length) as usize) % length as usize;
    }
    let last = moved.iter().rposition(|&m| m > 0).map_or(0, |a| a + 1);
    let inner = dims[last..].iter().product();
    let source = |at: &[usize]| Some(flat(at.iter().zip(&moved).zip(&dims).map(|((&c, &m), &d)| (c + d - m) % d), &dims));
    let y = Blocks { dims: dims[..last].to_vec(), inner, source }.run(x, x.shape().clone())?;
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let back = g.op("Neg").input(op.input(1)).output();
    Ok(vec![Some(g.op("Roll").inputs([grads.dense(0), back, op.input(2)]).output().into()), None, None])
}
