//! `PadV2`: a value around a tensor.

use super::padding;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PadV2(input: T, paddings: Tpaddings, constant_values: T) -> (output: T)",
    attrs: "T: type; Tpaddings: type in {int32, int64} = int32",
    doc: "`input` with `paddings[i, 0]` elements before and `paddings[i, 1]` behind it along each dimension `i`, all `constant_values`.",
    shape: padding::infer,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let fill = ctx.input(2)?;
    if !fill.shape().is_scalar() {
        return Err(invalid_argument(format!("constant_values must be a scalar. Found: {}", fill.shape())));
    }
    let y = padding::pad(ctx.input(0)?, ctx.input(1)?, fill)?;
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(padding::gradient_of_input(op, grads)?), None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_surrounds_the_input() {
        let run = |fill: Tensor| OpTester::new(&OP).input(tensor(&[1], &[1i32])).input(tensor(&[1, 2], &[1i32, 2])).input(fill).run_one();
        assert_eq!(run(Tensor::scalar(7i32)).unwrap().as_slice::<i32>().unwrap(), [7, 1, 7, 7]);
        assert_eq!(run(tensor(&[1], &[7i32])).unwrap_err().bare_message(), "constant_values must be a scalar. Found: [1]");
    }
}
