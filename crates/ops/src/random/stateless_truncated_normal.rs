//! `StatelessTruncatedNormal`: truncated normal numbers that depend on the seed alone.

use super::shape_argument::{Distribution, by_seed, with_seed_pair};
use crate::types::FLOATS;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StatelessTruncatedNormal(shape: T, seed: Tseed) -> (output: dtype)",
    attrs: "dtype: type in {half, bfloat16, float, double} = float; T: type in {int32, int64} = int32; Tseed: type in {int32, int64} = int64",
    doc: "Numbers of the requested shape; equal seeds give equal numbers.",
    shape: with_seed_pair,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| by_seed(ctx, Distribution::TruncatedNormal)).on("dtype", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, tensor};
    use ferroflow_tensor::{Code, DType, Result, Tensor};

    fn draw(seed: Tensor) -> Result<Tensor> {
        OpTester::new(&OP).input(tensor(&[1], &[5i32])).input(seed).attr("dtype", DType::Float).run_one()
    }

    #[test]
    fn the_numbers_are_tensorflows() {
        let got = draw(tensor(&[2], &[3i64, -4])).unwrap();
        let recorded = [-1.780290961265564, -0.30832916498184204, -0.3106456696987152, -0.3837282061576843, -0.629376232624054];
        assert!(got.as_slice::<f32>().unwrap().iter().zip(recorded).all(|(a, b)| (*a as f64 - b).abs() < 1e-6), "{got:?}");
    }

    #[test]
    fn the_seed_must_be_a_pair() {
        for bad in [tensor(&[3], &[1i64; 3]), Tensor::scalar(1i64), tensor(&[2, 1], &[1i64; 2]), tensor(&[0], &[] as &[i64])] {
            assert_eq!(draw(bad).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
