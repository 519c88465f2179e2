//! `MirrorPadGrad`: the gradient of `MirrorPad`.

use super::blocks::{flat, lens};
use super::mirror::Mirror;
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "MirrorPadGrad(input: T, paddings: Tpaddings) -> (output: T)",
    attrs: "T: type; Tpaddings: type in {int32, int64} = int32; mode: string in {\"REFLECT\", \"SYMMETRIC\"}",
    doc: "The gradient of the padded tensor folded back onto what its margins mirror.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn fold<T: Arithmetic + Element>(x: &Tensor, mirror: &Mirror, to: &[usize]) -> Result<Tensor> {
    let from = lens(x.dims());
    let values = x.as_slice::<T>()?;
    Tensor::build(Shape::from_lens(to)?, |out: &mut [T]| {
        out.fill(T::default());
        let mut at = vec![0usize; from.len()];
        for &v in values {
            let place = flat(at.iter().enumerate().map(|(axis, &c)| mirror.inside(axis, c, to[axis])), to);
            out[place] = out[place].plus(v);
            for axis in (0..at.len()).rev() {
                at[axis] += 1;
                if at[axis] < from[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, paddings) = (ctx.input(0)?, ctx.input(1)?);
    let mirror = Mirror::of(ctx, paddings, x.rank(), |i, both| x.dims().get(i)?.checked_sub(i64::try_from(both).ok()?))?;
    let to: Vec<usize> = lens(x.dims()).iter().zip(&mirror.margins).map(|(d, (a, b))| d - a - b).collect();
    let y = with_numeric!(x.dtype() => T, { fold::<T>(x, &mirror, &to)? }, else { return Err(unsupported("MirrorPadGrad", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.with_rank(1, 2)?.dim(0).and_then(|n| usize::try_from(n).ok());
    let s = n.map_or(Ok(c.input(0)), |n| c.with_rank(0, n))?;
    let Some(dims) = s.dims() else { return Ok(()) };
    let out = match c.constant(1) {
        None => vec![None; dims.len()],
        Some(p) => {
            let margins = super::padding::margins(p, &Shape::new(&vec![0; dims.len()])?)?;
            dims.iter().zip(margins).map(|(d, (a, b))| d.and_then(|d| d.checked_sub(a)?.checked_sub(b)).filter(|d| *d >= 0)).collect()
        }
    };
    c.set_output(0, PartialShape::new(&out));
    Ok(())
}
