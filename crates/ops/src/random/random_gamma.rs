//! `RandomGamma`: numbers of gamma distributions.

use super::philox_source::PhiloxSource;
use super::rejection::{gamma, samples, shape};
use crate::math::backward::apply;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RandomGamma(shape: S, alpha: T) -> (output: T)",
    attrs: "seed: int = 0; seed2: int = 0; S: type in {int32, int64}; T: type in {half, float, double}",
    flags: "stateful",
    doc: "Samples of gamma distributions: of the shape that `shape` says for each element of `alpha`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::built(build)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

struct RandomGamma(PhiloxSource);

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(RandomGamma(PhiloxSource::of_node(c)?)))
}

impl OpKernel for RandomGamma {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let (shape, drawn) = samples(ctx, &self.0, gamma)?;
        let out = match ctx.input(1)?.dtype() {
            DType::Half => Tensor::from_slice(shape, &drawn.iter().map(|&x| half::f16::from_f64(x)).collect::<Vec<_>>())?,
            DType::Float => Tensor::from_slice(shape, &drawn.iter().map(|&x| x as f32).collect::<Vec<_>>())?,
            _ => Tensor::from_slice(shape, &drawn)?,
        };
        ctx.set_output(0, out);
        Ok(())
    }
}

/// Samples move with their parameter so that the value of the distribution function stays.
fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (alpha, sample) = (op.input(1), op.output(0));
    let graph = alpha.graph();
    let partial = apply("Mul", &[&grads.dense(0), &apply("RandomGammaGrad", &[&alpha, &sample])]);
    let size = graph.op("Size").input(op.input(0)).output();
    let axes =
        graph.op("Range").inputs([graph.constant_tensor(Tensor::scalar(0i32)), size, graph.constant_tensor(Tensor::scalar(1i32))]).output();
    Ok(vec![None, Some(apply("Sum", &[&partial, &axes]).into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_tensorflows() {
        let node = OpTester::new(&OP).input(tensor(&[1], &[3i32])).input(tensor(&[2], &[0.5f64, 2.0]));
        let out = node.attr("seed", 87654321i64).attr("seed2", 7i64).run_one().unwrap();
        let want = [0.3886207341830441, 1.6506493005259446, 0.7023012783389178, 3.843616952957409, 3.4078570326273114, 1.5549795526536494];
        for (got, want) in out.as_slice::<f64>().unwrap().iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "{got} is not {want}");
        }
    }

    #[test]
    fn a_parameter_that_is_none_gives_no_number() {
        let node = OpTester::new(&OP).input(tensor(&[1], &[2i32])).input(tensor(&[3], &[-1f32, 0.0, f32::NAN]));
        assert!(node.run_one().unwrap().as_slice::<f32>().unwrap().iter().all(|x| x.is_nan()));
    }
}
