//! Kernels and shape function of comparisons (TF: `cwise_op_equal_to`, `…_less`, …).

use super::broadcasting::{for_each_pair, plan};
use super::elementwise::refused;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{CompareOp, LogicalOp, compare, logical};

/// Types that are equal or not: numbers, bool and string.
pub(crate) const COMPARABLE: &[DType] = &{
    let mut types = [DType::String; NUMERIC_AND_BOOL.len() + 1];
    let mut i = 0;
    while i < NUMERIC_AND_BOOL.len() {
        types[i] = NUMERIC_AND_BOOL[i];
        i += 1;
    }
    types
};

/// z = x op y with broadcasting.
///
/// Errors: `InvalidArgument` for shapes that cannot be broadcast.
pub(crate) fn comparison(ctx: &mut OpKernelContext, op: CompareOp) -> Result<()> {
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    let (plan, shape) = plan(x.shape(), y.shape())?;
    let dtype = x.dtype();
    let mut z = Tensor::for_overwrite(DType::Bool, shape)?;
    let out = z.as_mut_slice::<bool>()?;
    if dtype == DType::String {
        let (x, y) = (x.as_strings()?, y.as_strings()?);
        let wanted = op == CompareOp::Equal;
        for_each_pair(&plan, |l, r, o| out[o] = (x[l] == y[r]) == wanted);
    } else {
        with_numeric_or_bool!(dtype => T, {
            compare::<T>(&pool(ctx.step), op, &plan, x.as_slice()?, y.as_slice()?, out).map_err(|e| refused(e, dtype))?;
        }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
    }
    ctx.set_output(0, z);
    Ok(())
}

/// As [`comparison`], for `Equal` and `NotEqual`: with `incompatible_shape_error=false` tensors of shapes that do not fit are unequal.
///
/// Errors: as [`comparison`].
pub(crate) fn equality(ctx: &mut OpKernelContext, op: CompareOp) -> Result<()> {
    if !ctx.node.attrs.bool("incompatible_shape_error")? && plan(ctx.input(0)?.shape(), ctx.input(1)?.shape()).is_err() {
        ctx.set_output(0, Tensor::scalar(op == CompareOp::NotEqual));
        return Ok(());
    }
    comparison(ctx, op)
}

/// The shape function that goes with [`equality`].
///
/// Errors: `InvalidArgument` for shapes that cannot be broadcast.
pub(crate) fn equality_shape(c: &mut ShapeContext) -> Result<()> {
    if c.node().attrs.bool("incompatible_shape_error")? {
        return shape::broadcast(c);
    }
    // With dimensions unknown the result may turn out to be a scalar.
    if let (Some(x), Some(y)) = (c.input(0).to_shape(), c.input(1).to_shape()) {
        c.set_output(0, Shape::broadcast(&x, &y).unwrap_or_else(|_| Shape::scalar()));
    }
    Ok(())
}

/// z = x op y on bools with broadcasting.
///
/// Errors: `InvalidArgument` for shapes that cannot be broadcast.
pub(crate) fn connective(ctx: &mut OpKernelContext, op: LogicalOp) -> Result<()> {
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    let (plan, shape) = plan(x.shape(), y.shape())?;
    let mut z = Tensor::for_overwrite(DType::Bool, shape)?;
    logical(op, &plan, x.as_slice()?, y.as_slice()?, z.as_mut_slice()?);
    ctx.set_output(0, z);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_compared_by_bytes() {
        let z = OpTester::named("Equal").input(strings(&[2, 1], &["a", "b"])).input(strings(&[2], &["a", "b"])).run_one().unwrap();
        assert_eq!(z.as_slice::<bool>().unwrap(), [true, false, false, true]);
        let z = OpTester::named("NotEqual").input("x").input("x").run_one().unwrap();
        assert_eq!(z.as_slice::<bool>().unwrap(), [false]);
    }

    #[test]
    fn shapes_that_do_not_fit_may_count_as_unequal() {
        let run = |op: &str, error: bool| {
            let (x, y) = (tensor(&[2], &[1f32, 2.0]), tensor(&[3], &[1f32, 2.0, 3.0]));
            OpTester::named(op).input(x).input(y).attr("incompatible_shape_error", error).run_one()
        };
        assert_eq!(run("Equal", false).unwrap().as_slice::<bool>().unwrap(), [false]);
        assert_eq!(run("NotEqual", false).unwrap().as_slice::<bool>().unwrap(), [true]);
        assert_eq!(run("Equal", true).unwrap_err().bare_message(), "Incompatible shapes: [2] vs. [3]");
    }
}
