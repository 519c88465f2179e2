//! `StatelessMultinomial`: classes drawn with the probabilities that logits give, by a seed that is an input.

use super::multinomial::{draw, shape};
use super::philox_source::Words;
use super::shape_argument::seeded;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessMultinomial(logits: T, num_samples: int32, seed: Tseed) -> (output: output_dtype)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tseed: type in {int32, int64} = int64; output_dtype: type in {int32, int64} = int64",
    doc: "output[i, j] is a class, drawn from the softmax of logits[i, :]; the same for the same `seed`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", REAL).on("output_dtype", INDEX)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let generator = seeded(ctx, 2)?;
    draw(ctx, ctx.node.attrs.dtype("output_dtype")?, |_| Words::new(generator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_are_tensorflows() {
        let node = OpTester::new(&OP).input(tensor(&[2, 3], &[0f32, 1.0, 2.0, 3.0, 0.0, 1.0])).input(Tensor::scalar(6i32));
        let out = node.input(tensor(&[2], &[1i32, 2])).run_one().unwrap();
        assert_eq!(out.as_slice::<i64>().unwrap(), [2, 2, 1, 2, 2, 2, 0, 0, 0, 0, 0, 0]);
    }
}
