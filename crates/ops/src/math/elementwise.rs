//! Kernels of functions of one and of two arguments, element by element (TF: `UnaryOp`, `BinaryOp`, `SimpleBinaryOp`). The result takes
//! the memory of an input that nobody else holds.

use super::broadcasting::plan;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math as math;
use ferroflow_math::{ArithmeticError, BinaryOp, Broadcast, FloatClass, Side, UnaryOp};
use ferroflow_tensor::Error;

/// The words for what arithmetic refuses.
pub(crate) fn refused(error: ArithmeticError, dtype: DType) -> Error {
    match error {
        ArithmeticError::Unsupported => unimplemented(format!("{error}: {dtype}")),
        other => invalid_argument(other.to_string()),
    }
}

/// y = op(x).
///
/// Errors: `Unimplemented` for types that `op` is not defined for.
pub(crate) fn unary(ctx: &mut OpKernelContext, op: UnaryOp) -> Result<()> {
    let pool = pool(ctx.step);
    let x = ctx.input(0)?;
    let (dtype, shape) = (x.dtype(), x.shape().clone());
    let y = match ctx.forward_input(0, dtype, &shape) {
        Some(mut y) => {
            apply_in_place(&pool, op, &mut y)?;
            y
        }
        None => {
            let x = ctx.input(0)?;
            let mut y = Tensor::for_overwrite(dtype, shape)?;
            with_numeric!(dtype => T, {
                math::unary::<T>(&pool, op, x.as_slice()?, y.as_mut_slice()?).map_err(|e| refused(e, dtype))?;
            }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
            y
        }
    };
    ctx.set_output(0, y);
    Ok(())
}

/// x = op(x), for a tensor that nobody else holds.
///
/// Errors: `Unimplemented` for types that `op` is not defined for; `Internal` if the memory is shared.
pub(crate) fn apply_in_place(pool: &dyn math::ParallelFor, op: UnaryOp, x: &mut Tensor) -> Result<()> {
    let dtype = x.dtype();
    with_numeric!(dtype => T, {
        math::unary_in_place::<T>(pool, op, x.as_mut_slice()?).map_err(|e| refused(e, dtype))
    }, else { Err(unsupported("the function", dtype)) })
}

/// z = op(x, y) with broadcasting.
///
/// Errors: `InvalidArgument` for shapes that cannot be broadcast and for what `op` refuses, such as `Integer division by zero`.
pub(crate) fn binary(ctx: &mut OpKernelContext, op: BinaryOp) -> Result<()> {
    if ctx.input(0)?.shape().is_scalar() && ctx.input(1)?.shape().is_scalar() {
        return scalars(ctx, op);
    }
    let (plan, shape) = plan(ctx.input(0)?.shape(), ctx.input(1)?.shape())?;
    planned(ctx, op, &plan, shape, 0, 1)
}

/// z = op(x, y) for two scalars: counters, learning rates and losses are so many that they have a way of their own.
fn scalars(ctx: &mut OpKernelContext, op: BinaryOp) -> Result<()> {
    let dtype = ctx.input(0)?.dtype();
    with_numeric!(dtype => T, {
        let (x, y) = (ctx.input(0)?.to_scalar::<T>()?, ctx.input(1)?.to_scalar::<T>()?);
        let z = math::binary_of_one(op, x, y).map_err(|e| refused(e, dtype))?;
        let memory = match ctx.input(0)?.is_unique() {
            true => Some(ctx.take_input(0)?),
            false => None,
        };
        let output = match memory {
            Some(mut memory) => {
                memory.as_mut_slice::<T>()?.fill(z);
                memory
            }
            None => Tensor::scalar(z),
        };
        ctx.set_output(0, output);
        Ok(())
    }, else { Err(unsupported(ctx.node.op_name(), dtype)) })
}

/// z = op(x, y) for tensors of one shape; broadcasting is not wanted.
///
/// Errors: `InvalidArgument` if the shapes differ.
pub(crate) fn equal_shapes(ctx: &mut OpKernelContext, op: BinaryOp) -> Result<()> {
    let shape = same_shape(ctx)?;
    planned(ctx, op, &Broadcast::same(shape.num_elements()), shape, 0, 1)
}

/// The shape that all inputs share.
///
/// Errors: `InvalidArgument` naming the first two that differ.
pub(crate) fn same_shape(ctx: &OpKernelContext) -> Result<Shape> {
    let shape = ctx.input(0)?.shape();
    for i in 1..ctx.num_inputs() {
        let other = ctx.input(i)?.shape();
        if shape != other {
            return Err(invalid_argument(format!(
                "Inputs to operation {} of type {} must have the same size and shape.  Input 0: {shape} != input {i}: {other}",
                ctx.node.name,
                ctx.node.op_name()
            )));
        }
    }
    Ok(shape.clone())
}

/// op(input `left`, input `right`), in the memory of one of them where that is possible.
fn planned(ctx: &mut OpKernelContext, op: BinaryOp, plan: &Broadcast, shape: Shape, left: usize, right: usize) -> Result<()> {
    let pool = pool(ctx.step);
    let dtype = ctx.input(left)?.dtype();
    for (i, other, side) in [(left, right, Side::Left), (right, left, Side::Right)] {
        // An operand of fewer elements is still read when the first ones are written.
        if ctx.input(i)?.num_elements() != plan.len() {
            continue;
        }
        if let Some(mut z) = ctx.forward_input(i, dtype, &shape) {
            let other = ctx.input(other)?;
            with_numeric!(dtype => T, {
                math::binary_in_place::<T>(&pool, op, plan, side, z.as_mut_slice()?, other.as_slice()?).map_err(|e| refused(e, dtype))?;
            }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
            ctx.set_output(0, z);
            return Ok(());
        }
    }
    let (x, y) = (ctx.input(left)?, ctx.input(right)?);
    let mut z = Tensor::for_overwrite(dtype, shape)?;
    with_numeric!(dtype => T, {
        math::binary::<T>(&pool, op, plan, x.as_slice()?, y.as_slice()?, z.as_mut_slice()?).map_err(|e| refused(e, dtype))?;
    }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
    ctx.set_output(0, z);
    Ok(())
}

/// y = whether x is of a class of floating-point values.
///
/// Errors: `Unimplemented` for other types.
pub(crate) fn classify(ctx: &mut OpKernelContext, class: FloatClass) -> Result<()> {
    let x = ctx.input(0)?;
    let mut y = Tensor::for_overwrite(DType::Bool, x.shape().clone())?;
    with_float!(x.dtype() => T, {
        math::classify::<T>(class, x.as_slice()?, y.as_mut_slice()?);
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tester copies inputs first, so forwarding is seen through a context of our own.
    fn runs_in_the_memory_of_its_input(op: &str, inputs: Vec<Tensor>, i: usize) -> bool {
        let mut tester = OpTester::named(op);
        for input in &inputs {
            tester = tester.input(input.clone());
        }
        let (node, _) = tester.build().unwrap();
        let at = inputs[i].bytes().unwrap().as_ptr();
        let mut values: Vec<Option<Value>> = inputs.into_iter().map(|t| Some(Value::Tensor(t))).collect();
        let mut outputs = Default::default();
        let frame = Default::default();
        let mut ctx = OpKernelContext::new(node.node(), node.step(), frame, &mut values, &mut outputs);
        match node.node().op.kernel("CPU", &node.node().attrs).unwrap().factory {
            ferroflow_graph::op::KernelFactory::Function(f) => f(&mut ctx).unwrap(),
            _ => panic!("{op} is a function"),
        }
        outputs[0].as_ref().unwrap().to_tensor().unwrap().bytes().unwrap().as_ptr() == at
    }

    #[test]
    fn an_operand_that_nobody_else_holds_becomes_the_result() {
        let x = || tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]);
        let row = || tensor(&[2], &[1f32, 2.0]);
        assert!(runs_in_the_memory_of_its_input("Neg", vec![x()], 0));
        assert!(runs_in_the_memory_of_its_input("Mul", vec![x(), row()], 0));
        assert!(runs_in_the_memory_of_its_input("Mul", vec![row(), x()], 1));
        let kept = x();
        assert!(!runs_in_the_memory_of_its_input("Neg", vec![kept.clone()], 0));
    }

    #[test]
    fn an_operand_that_is_broadcast_is_not_overwritten() {
        for (x, y) in
            [(tensor(&[2, 2], &[1i32, 2, 3, 4]), tensor(&[2], &[10i32, 20])), (tensor(&[2], &[10i32, 20]), tensor(&[2, 2], &[1, 2, 3, 4]))]
        {
            let z = OpTester::named("AddV2").input(x).input(y).run_one().unwrap();
            assert_eq!(z.as_slice::<i32>().unwrap(), [11, 22, 13, 24]);
        }
        let z = OpTester::named("Sub").input(tensor(&[1], &[1i32])).input(tensor(&[], &[3i32])).run_one().unwrap();
        assert_eq!((z.dims(), z.as_slice::<i32>().unwrap()), (&[1i64][..], &[-2][..]));
    }

    #[test]
    fn integer_division_by_zero_is_an_error() {
        let e = OpTester::named("FloorDiv").input(1i32).input(0i32).run().unwrap_err();
        assert_eq!((e.code(), e.bare_message()), (Code::InvalidArgument, "Integer division by zero"));
    }

    #[test]
    fn gradients_of_functions_do_not_broadcast() {
        let e = OpTester::named("SqrtGrad").input(tensor(&[2], &[4f32, 16.0])).input(tensor(&[0], &[] as &[f32])).run().unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }
}
