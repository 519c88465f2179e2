//! A long short-term memory cell over all steps of a sequence, forward and back: what both versions of the block share.

use super::lstm::{Cell, Made, Order, check_made, narrow, wide};
use crate::prelude::*;

/// How many steps are to be run.
fn length(ctx: &OpKernelContext, cell: &Cell) -> Result<usize> {
    let most = ctx.scalar::<i64>(0, "seq_len_max")?;
    match usize::try_from(most) {
        Ok(n) if n <= cell.steps => Ok(n),
        _ => Err(invalid_argument(format!("seq_len_max must be in [0, {}], got {most}", cell.steps))),
    }
}

/// Runs the steps; results past `seq_len_max` are 0.
///
/// Errors: `InvalidArgument` for shapes that do not fit.
pub(super) fn forward(ctx: &mut OpKernelContext, order: Order, forget_bias: f32) -> Result<()> {
    let cell = Cell::of(ctx, 1, 3, order)?;
    let steps = length(ctx, &cell)?;
    let clip = ctx.node.attrs.float("cell_clip")?;
    let (n, inputs) = (cell.batch * cell.size, cell.batch * cell.inputs);
    let mut all: [Vec<f32>; 7] = std::array::from_fn(|_| Vec::new());
    for part in &mut all {
        *part = crate::sparse::coo::filled(cell.steps * n, 0f32)?;
    }
    let mut before = (cell.cs_prev.clone(), cell.h_prev.clone());
    for t in 0..steps {
        let made = cell.forward(ctx.step, &cell.x[t * inputs..][..inputs], &before.0, &before.1, forget_bias, clip);
        for (all, part) in all.iter_mut().zip(made.parts()) {
            all[t * n..][..n].copy_from_slice(part);
        }
        before = (made.cs, made.h);
    }
    for (i, part) in all.iter().enumerate() {
        ctx.set_output(i, narrow(cell.dtype, &[cell.steps, cell.batch, cell.size], part)?);
    }
    Ok(())
}

/// The gradients of x, cs_prev, h_prev, w, wci, wcf, wco and b.
///
/// Errors: `InvalidArgument` for shapes that do not fit.
pub(super) fn backward(ctx: &mut OpKernelContext, order: Order) -> Result<()> {
    let cell = Cell::of(ctx, 1, 3, order)?;
    let steps = length(ctx, &cell)?;
    check_made(ctx, 9, &["i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"], &[cell.steps, cell.batch, cell.size])?;
    let (n, inputs, width) = (cell.batch * cell.size, cell.batch * cell.inputs, 4 * cell.size);
    let mut given = Vec::new();
    for i in 9..18 {
        given.push(wide(ctx.input(i)?)?);
    }
    let mut x_grad = crate::sparse::coo::filled(cell.steps * inputs, 0f32)?;
    let mut w_grad = vec![0f32; (cell.inputs + cell.size) * width];
    let mut b_grad = vec![0f32; width];
    let mut peepholes: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0f32; cell.size]);
    let (mut cs_prev_grad, mut h_prev_grad) = (vec![0f32; n], vec![0f32; n]);
    for t in (0..steps).rev() {
        let at = |i: usize, t: usize| &given[i][t * n..][..n];
        let own = |i: usize| at(i, t).to_vec();
        let made = Made { i: own(0), cs: own(1), f: own(2), o: own(3), ci: own(4), co: own(5), h: Vec::new() };
        let (cs_prev, h_prev) = if t == 0 { (&cell.cs_prev[..], &cell.h_prev[..]) } else { (at(1, t - 1), at(6, t - 1)) };
        let sum = |i: usize, after: &[f32]| -> Vec<f32> { at(i, t).iter().zip(after).map(|(a, b)| a + b).collect() };
        let back = cell.backward(&made, cs_prev, &sum(7, &cs_prev_grad), &sum(8, &h_prev_grad));
        let (d_x, d_h) = cell.through_weights(ctx.step, &back.gates, &cell.x[t * inputs..][..inputs], h_prev, &mut w_grad);
        x_grad[t * inputs..][..inputs].copy_from_slice(&d_x);
        if width > 0 {
            back.gates.chunks_exact(width).for_each(|row| b_grad.iter_mut().zip(row).for_each(|(b, g)| *b += g));
        }
        for (all, one) in peepholes.iter_mut().zip(&back.peepholes) {
            all.iter_mut().zip(one).for_each(|(a, b)| *a += b);
        }
        (cs_prev_grad, h_prev_grad) = (back.cs_prev, d_h);
    }
    // Without peepholes their weights may be of any size, and so are the zeros.
    for (i, grad) in peepholes.iter_mut().enumerate() {
        grad.resize(ctx.input(5 + i)?.shape().dim(0), 0.0);
    }
    let state = [cell.batch, cell.size];
    let results: [(&[f32], &[usize]); 8] = [
        (&x_grad, &[cell.steps, cell.batch, cell.inputs]),
        (&cs_prev_grad, &state),
        (&h_prev_grad, &state),
        (&w_grad, &[cell.inputs + cell.size, width]),
        (&peepholes[0], &[peepholes[0].len()]),
        (&peepholes[1], &[peepholes[1].len()]),
        (&peepholes[2], &[peepholes[2].len()]),
        (&b_grad, &[width]),
    ];
    for (i, (values, dims)) in results.into_iter().enumerate() {
        ctx.set_output(i, narrow(cell.dtype, dims, values)?);
    }
    Ok(())
}

/// The gradient of the block: a node of the op `name`.
///
/// Errors: `InvalidArgument` without the attributes.
pub(super) fn gradient(op: &Operation, grads: &OutGrads, name: &str) -> Result<Vec<Option<Grad>>> {
    let peephole = op.with_attrs(|a| a.bool("use_peephole"))?;
    let inputs = (0..9).map(|i| op.input(i)).chain((0..7).map(|i| op.output(i))).chain([grads.dense(1), grads.dense(6)]);
    let node = op.input(1).graph().op(name).inputs(inputs).attr("use_peephole", peephole).build();
    let mut all: Vec<Option<Grad>> = vec![None];
    all.extend((0..8).map(|i| Some(node.output(i).into())));
    Ok(all)
}

/// The shapes of the seven results of the block.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn shapes(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(1, 3)?;
    let b = c.with_rank(8, 1)?;
    for i in 0..7 {
        c.set_output(i, PartialShape::new(&[x.dim(0), x.dim(1), b.dim(0).map(|n| n / 4)]));
    }
    Ok(())
}

/// The shapes of the eight gradients: those of the inputs.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn gradient_shapes(c: &mut ShapeContext) -> Result<()> {
    for (i, rank) in [3, 2, 2, 2, 1, 1, 1, 1].into_iter().enumerate() {
        let shape = c.with_rank(1 + i, rank)?;
        c.set_output(i, shape);
    }
    Ok(())
}
