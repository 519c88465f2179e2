//! `Concat`: `ConcatV2` with the axis in front, as old graphs have it.

use super::joined_rows;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Concat(concat_dim: int32, values: N * T) -> (output: T)",
    attrs: "N: int >= 2; T: type",
    doc: "The values one behind the other along `concat_dim`; all other dimensions must agree.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let n = ctx.num_inputs();
    joined_rows::concat(ctx, 1..n, 0, "concat_dim")
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    joined_rows::infer(c, 1..c.num_inputs(), 0)
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    joined_rows::gradient(op, grads, 1..op.num_inputs(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_comes_first() {
        let y = OpTester::new(&OP).input(0i32).input_list([tensor(&[1], &[1i64]), tensor(&[2], &[2i64, 3])]).run_one().unwrap();
        assert_eq!(y.as_slice::<i64>().unwrap(), [1, 2, 3]);
        let e = OpTester::new(&OP).input(1i32).input_list([tensor(&[1], &[1i64]), tensor(&[1], &[2i64])]).run().unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }
}
