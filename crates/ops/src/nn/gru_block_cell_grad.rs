//! `GRUBlockCellGrad`: the gradient of `GRUBlockCell`, up to the products with its weights' inputs.

use super::gru::Unit;
use super::lstm::{check_made, narrow, product};
use crate::prelude::*;
use ferroflow_math::MatrixRef;

pub const OP: OpSpec = OpSpec {
    signature: "GRUBlockCellGrad(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T) -> (d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T)",
    attrs: "T: type in {float}",
    doc: "The gradients of x and h_prev, and of c and of r and u before their functions.",
    shape: |c| {
        let (x, h) = (c.with_rank(0, 2)?, c.with_rank(1, 2)?);
        let of = |n: Option<i64>| PartialShape::new(&[x.dim(0), n]);
        for (i, n) in [x.dim(1), h.dim(1), h.dim(1), h.dim(1).map(|n| 2 * n)].into_iter().enumerate() {
            c.set_output(i, of(n));
        }
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Float]).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let unit = Unit::of(ctx)?;
    let (batch, inputs, size) = (unit.batch, unit.inputs, unit.size);
    let (n, depth) = (batch * size, inputs + size);
    check_made(ctx, 6, &["r", "u", "c", "d_h"], &[batch, size])?;
    let (r, u, c, d_h) = (ctx.slice::<f32>(6)?, ctx.slice::<f32>(7)?, ctx.slice::<f32>(8)?, ctx.slice::<f32>(9)?);
    let d_c: Vec<f32> = (0..n).map(|k| d_h[k] * (1.0 - u[k]) * (1.0 - c[k] * c[k])).collect();
    let mut through_c = vec![0f32; batch * depth];
    product(ctx.step, MatrixRef::new(&d_c, batch, size), MatrixRef::new(unit.w_c, depth, size).transposed(), &mut through_c, false);
    let kept = |k: usize| through_c[k / size * depth + inputs + k % size];
    let mut d_ru = vec![0f32; 2 * n];
    for k in 0..n {
        let place = k / size * 2 * size + k % size;
        d_ru[place] = kept(k) * unit.h_prev[k] * r[k] * (1.0 - r[k]);
        d_ru[place + size] = d_h[k] * (unit.h_prev[k] - c[k]) * u[k] * (1.0 - u[k]);
    }
    let mut through_ru = vec![0f32; batch * depth];
    let w_ru = MatrixRef::new(unit.w_ru, depth, 2 * size).transposed();
    product(ctx.step, MatrixRef::new(&d_ru, batch, 2 * size), w_ru, &mut through_ru, false);
    let column = |b: usize, i: usize| through_c[b * depth + i] + through_ru[b * depth + i];
    let d_x: Vec<f32> = (0..batch).flat_map(|b| (0..inputs).map(move |i| (b, i))).map(|(b, i)| column(b, i)).collect();
    let d_h_prev: Vec<f32> = (0..n).map(|k| through_ru[k / size * depth + inputs + k % size] + kept(k) * r[k] + d_h[k] * u[k]).collect();
    let results = [(d_x, inputs), (d_h_prev, size), (d_c, size), (d_ru, 2 * size)];
    let results = results.map(|(values, width)| narrow(DType::Float, &[batch, width], &values));
    for (i, t) in results.into_iter().enumerate() {
        ctx.set_output(i, t?);
    }
    Ok(())
}
