//! `Add`: the sum, with broadcasting; strings are joined.

use super::backward::of_two;
use super::broadcasting::{for_each_pair, plan};
use super::elementwise::binary;
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Add(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}",
    doc: "z = x + y, with broadcasting; strings are joined.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| of_two(op, grads, |p| (p.dz.clone(), p.dz.clone()))),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Add)).on("T", NUMERIC), Kernel::cpu(join).on("T", &[DType::String])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn join(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    let (plan, shape) = plan(x.shape(), y.shape())?;
    let (x, y) = (x.as_strings()?, y.as_strings()?);
    let mut joined = Vec::with_capacity(plan.len());
    for_each_pair(&plan, |l, r, _| joined.push(Bytes::from([x[l].as_ref(), y[r].as_ref()].concat())));
    ctx.set_output(0, Tensor::strings(shape, joined)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_joined_with_broadcasting() {
        let z = OpTester::new(&OP).input(strings(&[2], &["a", "b"])).input("!").run_one().unwrap();
        assert_eq!(z.as_strings().unwrap(), ["a!", "b!"]);
    }
}
