//! `AddN`: the sum of any number of tensors of one shape.

use super::elementwise::{refused, same_shape};
use crate::list::variants;
use crate::parallel::{Pool, pool};
use crate::prelude::*;
use ferroflow_math::{BinaryOp, Broadcast, Side, binary_in_place};

pub const OP: OpSpec = OpSpec {
    signature: "AddN(inputs: N * T) -> (sum: T)",
    attrs: "N: int >= 1; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, variant}",
    flags: "commutative,aggregate",
    doc: "sum = the sum of all inputs, which are of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC), Kernel::cpu(sum_of_variants).on("T", &[DType::Variant])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let shape = same_shape(ctx)?;
    sum(ctx, shape)
}

/// The sum of two tensors of one type and shape.
///
/// Errors: `Unimplemented` for types that cannot be added; `ResourceExhausted` without memory.
pub(crate) fn add(a: &Tensor, b: &Tensor, pool: &Pool) -> Result<Tensor> {
    let mut total = a.deep_copy()?;
    let plan = Broadcast::same(a.num_elements());
    with_numeric!(a.dtype() => T, {
        binary_in_place::<T>(pool, BinaryOp::Add, &plan, Side::Left, total.as_mut_slice()?, b.as_slice()?).map_err(|e| refused(e, a.dtype()))?;
    }, else { return Err(unsupported("AddN", a.dtype())) });
    Ok(total)
}

/// Variants are added if they are lists of tensors or optional values, tensor by tensor.
fn sum_of_variants(ctx: &mut OpKernelContext) -> Result<()> {
    let pool = pool(ctx.step);
    let mut total = ctx.input(0)?.clone();
    for i in 1..ctx.num_inputs() {
        total = variants::sum(&total, ctx.input(i)?, &pool)?;
    }
    ctx.set_output(0, total);
    Ok(())
}

/// Adds all inputs, in the memory of the first one that nobody else holds.
pub(super) fn sum(ctx: &mut OpKernelContext, shape: Shape) -> Result<()> {
    let pool = pool(ctx.step);
    let (n, dtype) = (ctx.num_inputs(), ctx.input(0)?.dtype());
    let plan = Broadcast::same(shape.num_elements());
    let mut taken = None;
    for i in 0..n {
        if let Some(t) = ctx.forward_input(i, dtype, &shape) {
            taken = Some((i, t));
            break;
        }
    }
    let (first, mut total) = match taken {
        Some(taken) => taken,
        None => (0, ctx.input(0)?.deep_copy()?),
    };
    for i in (0..n).filter(|&i| i != first) {
        let x = ctx.input(i)?;
        with_numeric!(dtype => T, {
            binary_in_place::<T>(&pool, BinaryOp::Add, &plan, Side::Left, total.as_mut_slice()?, x.as_slice()?).map_err(|e| refused(e, dtype))?;
        }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
    }
    ctx.set_output(0, total);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(grads.dense(0).into()); op.num_inputs()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_inputs_are_added() {
        let x = |v: f32| tensor(&[2], &[v, 2.0 * v]);
        let y = OpTester::new(&OP).input_list([x(1.0), x(10.0), x(100.0)]).run_one().unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [111.0, 222.0]);
    }
}
