//! `BroadcastTo`: a tensor spread over a larger shape.

use super::dims::{reshape_like, shape_of};
use super::strided::{PerDim, StridedView, row_major};
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BroadcastTo(input: T, shape: Tidx) -> (output: T)",
    attrs: "T: type; Tidx: type in {int32, int64} = int32",
    doc: "`input` in `shape`, repeated along new dimensions and those of length 1.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, wanted) = (ctx.input(0)?, ctx.input(1)?);
    if wanted.rank() > 1 {
        return Err(invalid_argument(format!("shape must be a vector of {{int32,int64}}, got shape {}", wanted.shape())));
    }
    let shape = super::dims::shape_from(wanted, "shape")?;
    if x.rank() > shape.rank() {
        return Err(invalid_argument(format!(
            "Rank of input ({}) must be no greater than rank of output shape ({}).",
            x.rank(),
            shape.rank()
        )));
    }
    if *x.shape() == shape {
        return ctx.pass_on(0, 0);
    }
    let y = broadcast(x, shape, &pool(ctx.step))?;
    ctx.set_output(0, y);
    Ok(())
}

/// `x` spread over `shape`.
///
/// Errors: `InvalidArgument` if a dimension of `x` is neither 1 nor that of `shape`.
pub(crate) fn broadcast(x: &Tensor, shape: Shape, pool: &dyn ferroflow_math::ParallelFor) -> Result<Tensor> {
    let new = shape.rank().saturating_sub(x.rank());
    let mut strides: PerDim<isize> = std::iter::repeat_n(0, new).collect();
    for ((&d, &to), s) in x.dims().iter().zip(&shape.dims()[new..]).zip(row_major(x.dims())) {
        if d != to && d != 1 {
            return Err(invalid_argument(format!("Incompatible shapes: {} vs. {shape}", x.shape())));
        }
        strides.push(if d == 1 { 0 } else { s });
    }
    let dims = shape.dims().iter().map(|&d| d as usize).collect();
    StridedView { offset: 0, dims, strides }.copy(x, shape, pool)
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let wanted = c.input_as_shape(1)?;
    if let (Some(have), Some(want)) = (c.input(0).rank(), wanted.rank())
        && have > want
        && c.input(1).rank() == Some(1)
    {
        return Err(invalid_argument(format!("Rank of input ({have}) must be no greater than rank of output shape ({want}).")));
    }
    c.set_output(0, wanted);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let x = op.input(0);
    let (from, to) = (shape_of(&x), op.input(1));
    let from = if to.dtype() == from.dtype() { from } else { g.op("Cast").input(from).attr("DstT", to.dtype()).output() };
    let axes = g.op("BroadcastGradientArgs").inputs([from, to]).output();
    let sum = g.op("Sum").inputs([grads.dense(0), axes]).output();
    Ok(vec![Some(reshape_like(&sum, &x).into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(x: Tensor, dims: &[i32]) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(tensor(&[dims.len() as i64], dims)).run_one()
    }

    #[test]
    fn dimensions_of_length_one_are_repeated() {
        let y = to(tensor(&[2, 1], &[1i32, 2]), &[2, 2, 3]).unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2]);
        assert_eq!(to(Tensor::scalar(1f32), &[2, 0]).unwrap().dims(), [2, 0]);
        assert_eq!(to(Tensor::string("a"), &[2]).unwrap().as_strings().unwrap(), ["a", "a"]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let x = || tensor(&[3], &[1f32, 2.0, 3.0]);
        assert_eq!(to(x(), &[2]).unwrap_err().bare_message(), "Incompatible shapes: [3] vs. [2]");
        assert_eq!(to(x(), &[]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(to(x(), &[-1, 3]).unwrap_err().bare_message(), "Dimension -1 must be >= 0");
        assert_eq!(to(x(), &[i32::MAX, i32::MAX, i32::MAX, 3]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_sums_over_what_was_repeated() {
        check_gradient(&[tensor(&[2, 1], &[1f64, 2.0])], |g, x| {
            g.op("BroadcastTo").inputs([x[0].clone(), g.constant_vector(&[2i32, 2, 3])]).build()
        });
    }
}
