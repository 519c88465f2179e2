//! `SelectV2`: elements of one or another tensor, with broadcasting.

use super::backward::{apply, number};
use super::broadcasting::lens;
use crate::array::dims::shape_of;
use crate::array::elements::{Rearrange, rearrange};
use crate::prelude::*;
use smallvec::SmallVec;

pub const OP: OpSpec = OpSpec {
    signature: "SelectV2(condition: bool, t: T, e: T) -> (output: T)",
    attrs: "T: type",
    doc: "output = t where condition, else e, with broadcasting of all three.",
    shape: select_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// How far each operand moves along each dimension of the result.
type Strides = SmallVec<[[usize; 3]; 6]>;

struct Choice<'a> {
    condition: &'a [bool],
    dims: &'a [usize],
    strides: &'a [[usize; 3]],
}

impl Rearrange for Choice<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        if self.strides.iter().zip(self.dims).all(|(s, &d)| d == 1 || s[0] == s[1] && s[1] == s[2]) {
            ferroflow_math::select(self.condition, inputs[0], inputs[1], out);
            return Ok(());
        }
        let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, self.dims.len());
        let mut at = [0usize; 3];
        for out in out {
            *out = if self.condition[at[0]] { inputs[0][at[1]].clone() } else { inputs[1][at[2]].clone() };
            for (i, (&size, stride)) in self.dims.iter().zip(self.strides).enumerate().rev() {
                index[i] += 1;
                at.iter_mut().zip(stride).for_each(|(at, s)| *at += s);
                if index[i] < size {
                    break;
                }
                index[i] = 0;
                at.iter_mut().zip(stride).for_each(|(at, s)| *at -= size * s);
            }
        }
        Ok(())
    }
}

/// The strides of an operand of shape `from` seen in the dimensions `to`; 0 where it is repeated.
fn strides(shapes: [&Shape; 3], to: &[usize]) -> Strides {
    let mut all: Strides = SmallVec::from_elem([0; 3], to.len());
    for (operand, from) in shapes.iter().enumerate() {
        let mut stride = 1;
        for (i, d) in lens(from).into_iter().enumerate().rev() {
            if d != 1 {
                all[to.len() - from.rank() + i][operand] = stride;
            }
            stride *= d;
        }
    }
    all
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (c, t, e) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    if c.rank() == 0 && t.shape() == e.shape() {
        let chosen = if c.to_scalar::<bool>()? { 1 } else { 2 };
        return ctx.pass_on(chosen, 0);
    }
    let shape = Shape::broadcast(t.shape(), e.shape()).and_then(|s| Shape::broadcast(c.shape(), &s)).map_err(|_| {
        invalid_argument(format!("condition {}, then {}, and else {} must be broadcastable", c.shape(), t.shape(), e.shape()))
    })?;
    let dims = lens(&shape);
    let strides = strides([c.shape(), t.shape(), e.shape()], &dims);
    let y = rearrange(&[t, e], shape, &Choice { condition: c.as_slice()?, dims: &dims, strides: &strides })?;
    ctx.set_output(0, y);
    Ok(())
}

fn select_shape(c: &mut ShapeContext) -> Result<()> {
    let s = shape::broadcast_shapes(&c.input(1), &c.input(2))?;
    let s = shape::broadcast_shapes(&c.input(0), &s)?;
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (condition, y, dy) = (op.input(0), op.output(0), grads.dense(0));
    let zero = number(&dy, 0.0);
    let back = |x: Output, g: Output| {
        if x.shape().to_shape().is_some() && x.shape() == y.shape() {
            return g;
        }
        let (sx, sy) = (shape_of(&x), shape_of(&y));
        let axes = op.graph().op("BroadcastGradientArgs").inputs([sx.clone(), sy]).output();
        apply("Reshape", &[&apply("Sum", &[&g, &axes]), &sx])
    };
    let dt = back(op.input(1), apply("SelectV2", &[&condition, &dy, &zero]));
    let de = back(op.input(2), apply("SelectV2", &[&condition, &zero, &dy]));
    Ok(vec![None, Some(dt.into()), Some(de.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_are_broadcast() {
        let run = |c: Tensor, t: Tensor, e: Tensor| OpTester::new(&OP).input(c).input(t).input(e).run_one().unwrap();
        let y = run(tensor(&[2, 1], &[true, false]), tensor(&[3], &[1f32, 2.0, 3.0]), Tensor::scalar(0f32));
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[2i64, 3][..], &[1f32, 2.0, 3.0, 0.0, 0.0, 0.0][..]));
        let y = run(Tensor::scalar(true), tensor(&[1], &[7i32]), tensor(&[2, 2], &[0i32; 4]));
        assert_eq!(y.as_slice::<i32>().unwrap(), [7; 4]);
        let y = run(tensor(&[0, 1], &[] as &[bool]), tensor(&[3], &[1i32; 3]), Tensor::scalar(0i32));
        assert_eq!(y.dims(), [0, 3]);
    }
}
