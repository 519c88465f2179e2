//! `Multinomial`: classes drawn with the probabilities that logits give.

use super::philox_source::{PhiloxSource, Words};
use crate::types::{INDEX, REAL, unsupported, with_real};
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor};
use num_traits::AsPrimitive;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "Multinomial(logits: T, num_samples: int32) -> (output: output_dtype)",
    attrs: "seed: int = 0; seed2: int = 0; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; output_dtype: type in {int32, int64} = int64",
    flags: "stateful",
    doc: "output[i, j] is a class, drawn from the softmax of logits[i, :].",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build).on("T", REAL).on("output_dtype", INDEX)],
    ..WORDS
};

struct Multinomial {
    source: PhiloxSource,
    out: DType,
}

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(Multinomial { source: PhiloxSource::of_node(c)?, out: c.node.attrs.dtype("output_dtype")? }))
}

impl OpKernel for Multinomial {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        draw(ctx, self.out, |outputs| Words::new(self.source.for_outputs(outputs)))
    }
}

/// Draws the classes; `words` makes the generator's words for this many outputs.
///
/// Errors: `InvalidArgument` for logits that are no matrix, or no number of samples.
pub(super) fn draw(ctx: &mut OpKernelContext, dtype: DType, words: impl FnOnce(usize) -> Words) -> Result<()> {
    let logits = ctx.input(0)?;
    let samples = ctx.scalar::<i32>(1, "num_samples")?;
    let samples = usize::try_from(samples).map_err(|_| invalid_argument(format!("num_samples should be nonnegative, got {samples}")))?;
    let &[rows, classes] = logits.dims() else {
        return Err(invalid_argument(format!("logits should be a matrix, got shape {}", logits.shape())));
    };
    let (rows, classes) = (rows as usize, classes as usize);
    if classes == 0 {
        return Err(invalid_argument(format!("num_classes should be positive, got {classes}")));
    }
    let shape = Shape::from_lens(&[rows, samples])?;
    let numbers: Vec<f64> = with_real!(logits.dtype() => T, {
        logits.as_slice::<T>()?.iter().map(|x| x.as_()).collect()
    }, else { return Err(unsupported(ctx.node.op_name(), logits.dtype())) });
    // Two words make a double, so TF counts each sample twice.
    let mut words = words(2 * rows * samples.next_multiple_of(4));
    let mut cumulative = vec![0f64; classes];
    let mut drawn: Vec<i64> = Vec::new();
    // The shape bounds rows and samples only together with the type; ask for the memory of the output first.
    let mut out = Tensor::for_overwrite(dtype, shape)?;
    drawn.reserve_exact(rows * samples);
    for row in numbers.chunks_exact(classes) {
        let largest = row.iter().copied().filter(|x| x.is_finite()).fold(f64::MIN, f64::max);
        let mut total = 0.0;
        for (sum, x) in cumulative.iter_mut().zip(row) {
            total += if x.is_finite() { (x - largest).exp() } else { 0.0 };
            *sum = total;
        }
        for _ in 0..samples {
            let (high, low) = (words.draw(), words.draw());
            let u = f64::from_bits(1023 << 52 | ((high & 0xf_ffff) as u64) << 32 | low as u64) - 1.0;
            drawn.push(cumulative.partition_point(|&sum| sum <= u * total) as i64);
        }
    }
    match dtype {
        DType::Int32 => out.as_mut_slice::<i32>()?.iter_mut().zip(&drawn).for_each(|(o, &x)| *o = x as i32),
        _ => out.as_mut_slice::<i64>()?.copy_from_slice(&drawn),
    }
    ctx.set_output(0, out);
    Ok(())
}

/// A row of samples for each row of logits.
///
/// Errors: `InvalidArgument` for logits that are no matrix.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let rows = c.with_rank(0, 2)?.dim(0);
    c.with_rank(1, 0)?;
    let samples = c.constant(1).and_then(|t| t.to_i64().ok()).filter(|&n| n >= 0);
    c.set_output(0, PartialShape::new(&[rows, samples]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, tensor};
    use ferroflow_tensor::Code;

    fn draw(logits: Tensor, samples: Tensor) -> Result<Tensor> {
        OpTester::new(&OP).input(logits).input(samples).attr("seed", 87654321i64).attr("seed2", 7i64).run_one()
    }

    #[test]
    fn the_classes_are_tensorflows() {
        let out = draw(tensor(&[2, 3], &[0f32, 1.0, 2.0, 3.0, 0.0, 1.0]), Tensor::scalar(6i32)).unwrap();
        assert_eq!(out.as_slice::<i64>().unwrap(), [2, 0, 2, 2, 1, 2, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_class_of_no_probability_is_never_drawn() {
        let out = draw(tensor(&[1, 3], &[f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY]), Tensor::scalar(50i32)).unwrap();
        assert!(out.as_slice::<i64>().unwrap().iter().all(|&c| c == 1));
    }

    #[test]
    fn malformed_arguments_are_refused() {
        let logits = || tensor(&[1, 2], &[0f32, 0.0]);
        for (logits, samples) in [
            (logits(), Tensor::scalar(-1i32)),
            (logits(), tensor(&[1], &[1i32])),
            (tensor(&[2], &[0f32, 0.0]), Tensor::scalar(1i32)),
            (tensor(&[2, 0], &[] as &[f32]), Tensor::scalar(1i32)),
        ] {
            assert_eq!(draw(logits, samples).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
