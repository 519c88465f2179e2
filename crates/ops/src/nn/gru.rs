//! A gated recurrent unit: what its op and the op's gradient share (TF: `gru_ops`).

use crate::prelude::*;

/// The inputs x, h_prev, w_ru, w_c, b_ru and b_c, checked.
pub(super) struct Unit<'a> {
    pub(super) batch: usize,
    pub(super) inputs: usize,
    pub(super) size: usize,
    pub(super) x: &'a [f32],
    pub(super) h_prev: &'a [f32],
    pub(super) w_ru: &'a [f32],
    pub(super) w_c: &'a [f32],
    pub(super) b_ru: &'a [f32],
    pub(super) b_c: &'a [f32],
}

impl<'a> Unit<'a> {
    /// Reads the inputs.
    ///
    /// Errors: `InvalidArgument` for shapes that do not fit.
    pub(super) fn of(ctx: &'a OpKernelContext) -> Result<Unit<'a>> {
        let (x, h_prev) = (ctx.input(0)?, ctx.input(1)?);
        for (name, t) in [("x", x), ("h_prev", h_prev)] {
            if t.rank() != 2 {
                return Err(invalid_argument(format!("{name} must be rank 2 but is rank {}", t.rank())));
            }
        }
        let (batch, inputs, size) = (x.shape().dim(0), x.shape().dim(1), h_prev.shape().dim(1));
        let wanted: [(&str, &[usize]); 5] = [
            ("h_prev", &[batch, size]),
            ("w_ru", &[inputs + size, 2 * size]),
            ("w_c", &[inputs + size, size]),
            ("b_ru", &[2 * size]),
            ("b_c", &[size]),
        ];
        for (i, (name, dims)) in wanted.into_iter().enumerate() {
            let t = ctx.input(1 + i)?;
            if *t.shape() != Shape::from_lens(dims)? {
                return Err(invalid_argument(format!("{name} must have shape {dims:?}, got {}", t.shape())));
            }
        }
        Ok(Unit {
            batch,
            inputs,
            size,
            x: x.as_slice()?,
            h_prev: h_prev.as_slice()?,
            w_ru: ctx.slice(2)?,
            w_c: ctx.slice(3)?,
            b_ru: ctx.slice(4)?,
            b_c: ctx.slice(5)?,
        })
    }

    /// `x` and `h` beside each other.
    pub(super) fn joined(&self, h: &[f32]) -> Vec<f32> {
        let mut xh = Vec::with_capacity(self.batch * (self.inputs + self.size));
        for b in 0..self.batch {
            xh.extend_from_slice(&self.x[b * self.inputs..][..self.inputs]);
            xh.extend_from_slice(&h[b * self.size..][..self.size]);
        }
        xh
    }
}
