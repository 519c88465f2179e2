//! `AvgPoolGrad`: the gradient of `AvgPool`.

use super::pooling::{pool_window, pooled};
use super::sliding_window::sliding_like;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::avg_pool_grad;

pub const OP: OpSpec = OpSpec {
    signature: "AvgPoolGrad(orig_input_shape: int32, grad: T) -> (output: T)",
    attrs: "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: type in {half, bfloat16, float, double}",
    doc: "output = grad, spread evenly over what each window covers, in the shape orig_input_shape.",
    shape: input_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (sizes, dy) = (ctx.input(0)?, ctx.input(1)?);
    if sizes.rank() != 1 || sizes.num_elements() != 4 {
        return Err(invalid_argument(format!("orig_input_shape must be 1-dimensional and 4 elements, got shape {}", sizes.shape())));
    }
    let shape = Shape::new(&sizes.to_i64s()?)?;
    let window = pool_window(&ctx.node.attrs, &shape)?;
    let wanted = pooled(&window)?;
    if *dy.shape() != wanted {
        return Err(invalid_argument(format!("Expected grad shape to be {wanted}, but got {}", dy.shape())));
    }
    let mut dx = Tensor::for_overwrite(dy.dtype(), shape)?;
    with_float!(dy.dtype() => T, {
        avg_pool_grad::<T>(&pool(ctx.step), &window, dy.as_slice()?, dx.as_mut_slice()?);
    }, else { return Err(unsupported("AvgPoolGrad", dy.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}

fn input_shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(0)?.merge(&PartialShape::of_rank(4))?;
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![None, Some(sliding_like(op, "AvgPool", [grads.dense(0)]).into())])
}
