//! `RandomStandardNormal`: normal numbers of mean 0 and deviation 1.

use super::shape_argument::{Distribution, from_first_input, stateful};
use crate::types::FLOATS;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "RandomStandardNormal(shape: T) -> (output: dtype)",
    attrs: "seed: int = 0; seed2: int = 0; dtype: type in {half, bfloat16, float, double}; T: type in {int32, int64}",
    flags: "stateful",
    doc: "Numbers of the requested shape from the standard normal distribution, from a generator that the kernel keeps.",
    shape: from_first_input,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| stateful(c, Distribution::Normal)).on("dtype", FLOATS)],
    tolerance: Tolerance::Rounding,
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
        let recorded = [-0.04694568f32, -1.2039024, 1.1668352, 1.1706204, -0.32007024];
        let got = draw(tensor(&[1], &[5i64]), DType::Float).unwrap();
        assert!(got.as_slice::<f32>().unwrap().iter().zip(recorded).all(|(a, b)| (a - b).abs() < 1e-6), "{got:?}");
        let recorded = [0.1340862416655279, 0.5069857732211678, -1.0712938719508789];
        let got = draw(tensor(&[1], &[3i32]), DType::Double).unwrap();
        assert!(got.as_slice::<f64>().unwrap().iter().zip(recorded).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-12), "{got:?}");
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
}
