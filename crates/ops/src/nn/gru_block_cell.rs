//! `GRUBlockCell`: one step of a gated recurrent unit.

use super::gru::Unit;
use super::lstm::{narrow, product, sigmoid};
use crate::prelude::*;
use ferroflow_math::MatrixRef;

pub const OP: OpSpec = OpSpec {
    signature: "GRUBlockCell(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T) -> (r: T, u: T, c: T, h: T)",
    attrs: "T: type in {float}",
    doc: "r, u = sigmoid([x, h_prev] w_ru + b_ru); c = tanh([x, r h_prev] w_c + b_c); h = u h_prev + (1 - u) c.",
    shape: |c| {
        let (x, h) = (c.with_rank(0, 2)?, c.with_rank(1, 2)?);
        for i in 0..4 {
            c.set_output(i, PartialShape::new(&[x.dim(0), h.dim(1)]));
        }
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Float]).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let unit = Unit::of(ctx)?;
    let (batch, size, depth) = (unit.batch, unit.size, unit.inputs + unit.size);
    let n = batch * size;
    let mut gates = vec![0f32; 2 * n];
    let xh = unit.joined(unit.h_prev);
    product(ctx.step, MatrixRef::new(&xh, batch, depth), MatrixRef::new(unit.w_ru, depth, 2 * size), &mut gates, false);
    let gate = |k: usize, which: usize| {
        let column = which * size + k % size;
        sigmoid(gates[k / size * 2 * size + column] + unit.b_ru[column])
    };
    let r: Vec<f32> = (0..n).map(|k| gate(k, 0)).collect();
    let u: Vec<f32> = (0..n).map(|k| gate(k, 1)).collect();
    let kept: Vec<f32> = r.iter().zip(unit.h_prev).map(|(r, h)| r * h).collect();
    let xrh = unit.joined(&kept);
    let mut c = vec![0f32; n];
    product(ctx.step, MatrixRef::new(&xrh, batch, depth), MatrixRef::new(unit.w_c, depth, size), &mut c, false);
    c.iter_mut().enumerate().for_each(|(k, c)| *c = (*c + unit.b_c[k % size]).tanh());
    let h: Vec<f32> = (0..n).map(|k| u[k] * unit.h_prev[k] + (1.0 - u[k]) * c[k]).collect();
    let results = [r, u, c, h].map(|part| narrow(DType::Float, &[batch, size], &part));
    for (i, t) in results.into_iter().enumerate() {
        ctx.set_output(i, t?);
    }
    Ok(())
}
