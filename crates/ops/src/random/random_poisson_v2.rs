//! `RandomPoissonV2`: numbers of Poisson distributions.

use super::philox_source::PhiloxSource;
use super::rejection::{poisson, samples, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RandomPoissonV2(shape: S, rate: R) -> (output: dtype)",
    attrs: "seed: int = 0; seed2: int = 0; S: type in {int32, int64}; R: type in {half, float, double, int32, int64} = double; dtype: type in {half, float, double, int32, int64} = int64",
    flags: "stateful",
    doc: "Samples of Poisson distributions: of the shape that `shape` says for each element of `rate`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build)],
    ..WORDS
};

pub(super) struct RandomPoisson {
    source: PhiloxSource,
    out: DType,
}

pub(super) fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(RandomPoisson { source: PhiloxSource::of_node(c)?, out: c.node.attrs.dtype("dtype")? }))
}

/// The largest number that a type of samples can hold.
fn most(dtype: DType) -> f64 {
    match dtype {
        DType::Half => half::f16::MAX.to_f64(),
        DType::Float => f64::from(f32::MAX),
        DType::Int32 => f64::from(i32::MAX),
        DType::Int64 => i64::MAX as f64,
        _ => f64::MAX,
    }
}

impl OpKernel for RandomPoisson {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let most = most(self.out);
        let (shape, drawn) = samples(ctx, &self.source, |rate, generator| poisson(rate, most, generator))?;
        let out = match self.out {
            DType::Half => Tensor::from_slice(shape, &drawn.iter().map(|&x| half::f16::from_f64(x)).collect::<Vec<_>>())?,
            DType::Float => Tensor::from_slice(shape, &drawn.iter().map(|&x| x as f32).collect::<Vec<_>>())?,
            DType::Double => Tensor::from_slice(shape, &drawn)?,
            DType::Int32 => Tensor::from_slice(shape, &drawn.iter().map(|&x| x as i32).collect::<Vec<_>>())?,
            _ => Tensor::from_slice(shape, &drawn.iter().map(|&x| x as i64).collect::<Vec<_>>())?,
        };
        ctx.set_output(0, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_tensorflows() {
        let node = OpTester::new(&OP).input(tensor(&[1], &[4i32])).input(tensor(&[3], &[0.5f32, 20.0, 3.0])).attr("dtype", DType::Int64);
        let out = node.attr("seed", 87654321i64).attr("seed2", 7i64).run_one().unwrap();
        assert_eq!(out.as_slice::<i64>().unwrap(), [0, 26, 4, 0, 23, 3, 1, 15, 4, 0, 20, 2]);
    }
}
