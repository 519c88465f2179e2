//! `Cross`: the cross product of vectors of three.

use super::backward::apply;
use super::elementwise::refused;
use crate::prelude::*;
use ferroflow_math::{BinaryOp, Broadcast, Inline, binary};

pub const OP: OpSpec = OpSpec {
    signature: "Cross(a: T, b: T) -> (product: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "product[..., :] = a[..., :] x b[..., :], vectors of three elements.",
    shape: shape::merged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    if a.shape() != b.shape() {
        return Err(invalid_argument(format!("Both inputs must be of same shape: {} vs. {}", a.shape(), b.shape())));
    }
    if a.dims().last() != Some(&3) {
        return Err(invalid_argument(format!("Cross-products are only defined for 3-element vectors, got shape {}", a.shape())));
    }
    let dtype = a.dtype();
    let mut z = Tensor::for_overwrite(dtype, a.shape().clone())?;
    with_real!(dtype => T, {
        // Turned by one and by two places: z = a1 b2 - a2 b1.
        let turned = |x: &[T], by: usize| -> Vec<T> { (0..x.len()).map(|i| x[i / 3 * 3 + (i % 3 + by) % 3]).collect() };
        let (a, b) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
        let plan = Broadcast::same(a.len());
        let times = |x: Vec<T>, y: Vec<T>| -> Result<Vec<T>> {
            let mut out = vec![T::default(); x.len()];
            binary(&Inline, BinaryOp::Mul, &plan, &x, &y, &mut out).map_err(|e| refused(e, dtype))?;
            Ok(out)
        };
        let (plus, minus) = (times(turned(a, 1), turned(b, 2))?, times(turned(a, 2), turned(b, 1))?);
        binary(&Inline, BinaryOp::Sub, &plan, &plus, &minus, z.as_mut_slice()?).map_err(|e| refused(e, dtype))?;
    }, else { return Err(unsupported("Cross", dtype)) });
    ctx.set_output(0, z);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (a, b, dz) = (op.input(0), op.input(1), grads.dense(0));
    Ok(vec![Some(apply("Cross", &[&b, &dz]).into()), Some(apply("Cross", &[&dz, &a]).into())])
}
