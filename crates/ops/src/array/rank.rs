//! `Rank`: the number of dimensions.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Rank(input: T) -> (output: int32)",
    attrs: "T: type",
    doc: "The number of dimensions of `input`, a scalar.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let rank = ctx.input(0)?.rank() as i32;
    ctx.set_output(0, Tensor::scalar(rank));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_has_rank_zero() {
        assert_eq!(OpTester::new(&OP).input(Tensor::scalar(1f32)).run_one().unwrap().to_scalar::<i32>().unwrap(), 0);
        assert_eq!(OpTester::new(&OP).input(tensor(&[1, 1], &[true])).run_one().unwrap().to_scalar::<i32>().unwrap(), 2);
    }
}
