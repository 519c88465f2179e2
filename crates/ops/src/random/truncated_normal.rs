//! `TruncatedNormal`: normal numbers that are less than two deviations from 0.

use super::shape_argument::{Distribution, from_first_input, stateful};
use crate::types::FLOATS;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TruncatedNormal(shape: T) -> (output: dtype)",
    attrs: "seed: int = 0; seed2: int = 0; dtype: type in {half, bfloat16, float, double}; T: type in {int32, int64}",
    flags: "stateful",
    doc: "Numbers of the requested shape from the standard normal distribution; those beyond two deviations are drawn again.",
    shape: from_first_input,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| stateful(c, Distribution::TruncatedNormal)).on("dtype", FLOATS)],
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
        let got = draw(tensor(&[1], &[200i32]), DType::Float).unwrap();
        let got = got.as_slice::<f32>().unwrap();
        let recorded = [
            (0, -0.046945683658123016),
            (1, -1.2039023637771606),
            (2, 1.1668351888656616),
            (3, 1.1706204414367676),
            (4, 0.7166261076927185),
            (5, 0.5711334943771362),
            (100, -0.5638821721076965),
            (101, 0.15359367430210114),
            (102, 1.0621463060379028),
            (197, -0.36122509837150574),
            (198, 0.6695610284805298),
            (199, -1.0850433111190796),
        ];
        for (i, x) in recorded {
            assert!((got[i] - x as f32).abs() < 1e-6, "{i}: {} {x}", got[i]);
        }
        let recorded = [0.1340862416655279, 0.5069857732211678, -0.3353157984791955, 1.0255299605888106, 1.4898406195903886];
        let got = draw(tensor(&[1], &[5i32]), DType::Double).unwrap();
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
