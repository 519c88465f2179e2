//! `LSTMBlockCell`: one step of a long short-term memory cell.

use super::lstm::{Cell, ICFO, narrow};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LSTMBlockCell(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T, f: T, o: T, ci: T, co: T, h: T)",
    attrs: "forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: bool = false; T: type in {half, float}",
    doc: "A step of a cell whose gates are one product: the gates i, f, o, the state cs, its input ci, and what comes out, co and h.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float]).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let cell = Cell::of(ctx, 0, 2, ICFO)?;
    let attrs = &ctx.node.attrs;
    let made = cell.forward(ctx.step, &cell.x, &cell.cs_prev, &cell.h_prev, attrs.float("forget_bias")?, attrs.float("cell_clip")?);
    for (i, part) in made.parts().into_iter().enumerate() {
        ctx.set_output(i, narrow(cell.dtype, &[cell.batch, cell.size], part)?);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (x, cs) = (c.with_rank(0, 2)?, c.with_rank(1, 2)?);
    for i in 0..7 {
        c.set_output(i, PartialShape::new(&[x.dim(0), cs.dim(1)]));
    }
    Ok(())
}
