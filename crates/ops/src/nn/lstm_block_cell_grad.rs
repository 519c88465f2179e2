//! `LSTMBlockCellGrad`: the gradient of `LSTMBlockCell`, up to the product with its weights.

use super::lstm::{Cell, ICFO, Made, check_made, narrow, wide};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LSTMBlockCellGrad(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, o: T, ci: T, co: T, cs_grad: T, h_grad: T) -> (cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T)",
    attrs: "use_peephole: bool; T: type in {half, float}",
    doc: "The gradients of the state before, of the four gates before their functions, and of the peepholes' weights.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float]).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let cell = Cell::of(ctx, 0, 2, ICFO)?;
    let dims = [cell.batch, cell.size];
    check_made(ctx, 8, &["i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad"], &dims)?;
    let at = |i: usize| wide(ctx.input(i)?);
    let made = Made { i: at(8)?, cs: at(9)?, f: at(10)?, o: at(11)?, ci: at(12)?, co: at(13)?, h: Vec::new() };
    let back = cell.backward(&made, &cell.cs_prev, &at(14)?, &at(15)?);
    ctx.set_output(0, narrow(cell.dtype, &dims, &back.cs_prev)?);
    ctx.set_output(1, narrow(cell.dtype, &[cell.batch, 4 * cell.size], &back.gates)?);
    for (i, grad) in back.peepholes.iter().enumerate() {
        ctx.set_output(2 + i, narrow(cell.dtype, &[cell.size], grad)?);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (x, cs) = (c.with_rank(0, 2)?, c.with_rank(1, 2)?);
    c.set_output(0, PartialShape::new(&[x.dim(0), cs.dim(1)]));
    c.set_output(1, PartialShape::new(&[x.dim(0), cs.dim(1).map(|n| 4 * n)]));
    for i in 2..5 {
        c.set_output(i, PartialShape::new(&[cs.dim(1)]));
    }
    Ok(())
}
