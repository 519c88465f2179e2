//! `MirrorPad`: a tensor with margins that mirror it.

use super::blocks::{Blocks, flat, lens};
use super::mirror::Mirror;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MirrorPad(input: T, paddings: Tpaddings) -> (output: T)",
    attrs: "T: type; Tpaddings: type in {int32, int64} = int32; mode: string in {\"REFLECT\", \"SYMMETRIC\"}",
    doc: "`input` with margins as in `Pad`, filled with its elements mirrored at the border, which is repeated in mode SYMMETRIC and not in REFLECT.",
    shape: super::padding::infer,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, paddings) = (ctx.input(0)?, ctx.input(1)?);
    let mirror = Mirror::of(ctx, paddings, x.rank(), |i, _| x.dims().get(i).copied())?;
    let from = lens(x.dims());
    let to: Vec<usize> = from.iter().zip(&mirror.margins).map(|(d, (a, b))| d + a + b).collect();
    let last = mirror.margins.iter().rposition(|m| *m != (0, 0)).map_or(0, |a| a + 1);
    let shape = Shape::from_lens(&to)?;
    let source = |at: &[usize]| Some(flat(at.iter().enumerate().map(|(axis, &c)| mirror.inside(axis, c, from[axis])), &from));
    let y = Blocks { dims: to[..last].to_vec(), inner: from[last..].iter().product(), source }.run(x, shape)?;
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let mode = op.with_attrs(|a| a.str("mode").map(str::to_owned))?;
    let d = op.graph().op("MirrorPadGrad").inputs([grads.dense(0), op.input(1)]).attr("mode", mode.as_str()).output();
    Ok(vec![Some(d.into()), None])
}
