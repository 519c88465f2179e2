//! `StatelessRandomUniform`: uniform numbers in [0, 1) that depend on the seed alone.

use super::shape_argument::{Distribution, by_seed, with_seed_pair};
use crate::types::FLOATS;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomUniform(shape: T, seed: Tseed) -> (output: dtype)",
    attrs: "dtype: type in {half, bfloat16, float, double} = float; T: type in {int32, int64} = int32; Tseed: type in {int32, int64} = int64",
    doc: "Numbers of the requested shape; equal seeds give equal numbers.",
    shape: with_seed_pair,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| by_seed(ctx, Distribution::Uniform)).on("dtype", FLOATS)],
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
        let recorded = [0.19548892974853516, 0.72270667552948, 0.8852598667144775, 0.6083104610443115, 0.8486368656158447];
        assert!(got.as_slice::<f32>().unwrap().iter().zip(recorded).all(|(a, b)| (*a as f64 - b).abs() < 1e-6), "{got:?}");
    }

    #[test]
    fn the_seed_must_be_a_pair() {
        for bad in [tensor(&[3], &[1i64; 3]), Tensor::scalar(1i64), tensor(&[2, 1], &[1i64; 2]), tensor(&[0], &[] as &[i64])] {
            assert_eq!(draw(bad).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
