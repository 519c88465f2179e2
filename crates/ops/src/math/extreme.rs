//! Where extreme elements along an axis stand (TF: `ArgOp`).

use super::broadcasting::lens;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{ArgOp, Axis, arg, cast};

/// The axis that `dimension` names.
fn checked(dimension: &Tensor, rank: usize) -> Result<usize> {
    if !dimension.shape().is_scalar() {
        return Err(invalid_argument(format!("dim must be a scalar, but received tensor of shape: {}", dimension.shape())));
    }
    let (axis, rank) = (dimension.to_i64()?, rank as i64);
    match usize::try_from(if axis < 0 { axis.saturating_add(rank) } else { axis }) {
        Ok(at) if axis < rank => Ok(at),
        _ => Err(invalid_argument(format!("Expected dimension in the range [{}, {rank}), but got {axis}", -rank))),
    }
}

/// output = the position of the largest or smallest element along the axis that input 1 names.
///
/// Errors: `InvalidArgument` for an axis that the input has not, or that is empty.
pub(crate) fn extreme(ctx: &mut OpKernelContext, op: ArgOp) -> Result<()> {
    let x = ctx.input(0)?;
    let at = checked(ctx.input(1)?, x.rank())?;
    let Some(axis) = Axis::of(&lens(x.shape()), at) else {
        return Err(internal("an axis was checked and is not there"));
    };
    if axis.size == 0 {
        return Err(invalid_argument(format!("Reduction axis {at} is empty in shape {}", x.shape())));
    }
    let mut dims = x.dims().to_vec();
    dims.remove(at);
    let mut found = Tensor::for_overwrite(DType::Int64, Shape::new(&dims)?)?;
    ferroflow_tensor::dispatch!(x.dtype(), [half::f16, half::bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool] => T, {
        arg::<T>(&pool(ctx.step), op, axis, x.as_slice()?, found.as_mut_slice()?);
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    let dtype = ctx.node.attrs.dtype("output_type")?;
    if dtype != DType::Int64 {
        let mut narrow = Tensor::for_overwrite(dtype, found.shape().clone())?;
        ferroflow_tensor::dispatch!(dtype, [i16, u16, i32] => T, {
            cast(found.as_slice::<i64>()?, narrow.as_mut_slice::<T>()?);
        }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
        found = narrow;
    }
    ctx.set_output(0, found);
    Ok(())
}

/// The shape without the axis.
///
/// Errors: `InvalidArgument` for an axis that the input has not.
pub(crate) fn extreme_shape(c: &mut ShapeContext) -> Result<()> {
    let input = c.input(0);
    let Some(dims) = input.dims() else { return Ok(()) };
    match c.constant(1) {
        Some(dimension) => {
            let mut dims = dims.to_vec();
            dims.remove(checked(dimension, dims.len())?);
            c.set_output(0, PartialShape::new(&dims));
        }
        None if dims.is_empty() => return Err(invalid_argument("Shape must be at least rank 1 but is rank 0")),
        None => c.set_output(0, PartialShape::of_rank(dims.len() - 1)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: &str, axis: i32, out: DType) -> Result<Tensor> {
        let x = tensor(&[2, 3], &[3f32, 9.0, 9.0, 4.0, 1.0, -1.0]);
        OpTester::named(op).input(x).input(axis).attr("output_type", out).run_one()
    }

    #[test]
    fn the_first_of_equal_elements_is_found() {
        assert_eq!(run("ArgMax", 1, DType::Int64).unwrap().as_slice::<i64>().unwrap(), [1, 0]);
        assert_eq!(run("ArgMin", -2, DType::Int32).unwrap().as_slice::<i32>().unwrap(), [0, 1, 1]);
    }

    #[test]
    fn an_axis_that_is_not_there_is_refused() {
        assert_eq!(run("ArgMax", 2, DType::Int64).unwrap_err().bare_message(), "Expected dimension in the range [-2, 2), but got 2");
        assert_eq!(run("ArgMax", i32::MIN, DType::Int64).unwrap_err().code(), Code::InvalidArgument);
    }
}
