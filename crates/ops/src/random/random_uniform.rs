//! `RandomUniform`: uniform numbers in [0, 1).

use super::shape_argument::{Distribution, from_first_input, stateful};
use crate::types::FLOATS;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "RandomUniform(shape: T) -> (output: dtype)",
    attrs: "seed: int = 0; seed2: int = 0; dtype: type in {half, bfloat16, float, double}; T: type in {int32, int64}",
    flags: "stateful",
    doc: "Numbers of the requested shape, uniform in [0, 1), from a generator that the kernel keeps.",
    shape: from_first_input,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| stateful(c, Distribution::Uniform)).on("dtype", FLOATS)],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, tensor};
    use ferroflow_tensor::{Code, DType, Result, Tensor};

    fn draw(shape: Tensor, dtype: DType) -> Result<Tensor> {
        OpTester::new(&OP).input(shape).attr("seed", 87654321i64).attr("seed2", 7i64).attr("dtype", dtype).run_one()
    }

    #[test]
    fn the_numbers_are_tensorflows() {
        let recorded = [0.48394096f32, 0.50620306, 0.25514376, 0.12474227, 0.9330101, 0.6646093, 0.22922444];
        assert_eq!(draw(tensor(&[1], &[7i32]), DType::Float).unwrap().as_slice::<f32>().unwrap(), recorded);
        let doubles = draw(tensor(&[1], &[3i32]), DType::Double).unwrap();
        assert_eq!(doubles.as_slice::<f64>().unwrap(), [0.8715283824246434, 0.041150670730960126, 0.46408134636396414]);
        let halves = draw(tensor(&[1], &[3i32]), DType::Half).unwrap();
        assert_eq!(
            halves.as_slice::<half::f16>().unwrap().iter().map(|x| x.to_f32()).collect::<Vec<_>>(),
            [0.444_335_94, 0.815_429_7, 0.137_695_31]
        );
        let bfloats = draw(tensor(&[1], &[3i32]), DType::BFloat16).unwrap();
        assert_eq!(
            bfloats.as_slice::<half::bf16>().unwrap().iter().map(|x| x.to_f32()).collect::<Vec<_>>(),
            [0.5546875, 0.5234375, 0.1015625]
        );
    }

    #[test]
    fn a_shape_that_is_none_is_refused() {
        for bad in [tensor(&[1], &[-1i32]), tensor(&[1, 1], &[2i32]), Tensor::scalar(2i32)] {
            assert_eq!(draw(bad, DType::Float).unwrap_err().code(), Code::InvalidArgument);
        }
        let huge = draw(tensor(&[3], &[1i64 << 31; 3]), DType::Float).unwrap_err();
        assert_eq!(huge.code(), Code::InvalidArgument);
        let large = draw(tensor(&[2], &[1i64 << 30; 2]), DType::Float).unwrap_err();
        assert_eq!(large.code(), Code::ResourceExhausted);
        assert_eq!(draw(tensor(&[2], &[0i32, 3]), DType::Double).unwrap().dims(), [0, 3]);
    }

    #[test]
    fn each_run_goes_on_where_the_last_one_ended() {
        let tester =
            OpTester::new(&OP).input(tensor(&[1], &[7i32])).attr("seed", 87654321i64).attr("seed2", 7i64).attr("dtype", DType::Float);
        let (node, inputs) = tester.build().unwrap();
        node.run(inputs.clone()).unwrap();
        let second = node.run(inputs).unwrap();
        let second = second[0].as_ref().unwrap().to_tensor().unwrap();
        assert_eq!(second.as_slice::<f32>().unwrap()[0], 0.6494907);
    }
}
