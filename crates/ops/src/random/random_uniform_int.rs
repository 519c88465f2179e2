//! `RandomUniformInt`: uniform integers in [minval, maxval).

use super::distribution::fill_blocks;
use super::philox_source::PhiloxSource;
use super::shape_argument::{from_first_input, requested_shape};
use crate::types::INDEX;
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> (output: Tout)",
    attrs: "seed: int = 0; seed2: int = 0; Tout: type in {int32, int64}; T: type in {int32, int64}",
    flags: "stateful",
    doc: "Integers of the requested shape, uniform in [minval, maxval), from a generator that the kernel keeps.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build).on("Tout", INDEX)],
    ..WORDS
};

struct RandomUniformInt(PhiloxSource);

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(RandomUniformInt(PhiloxSource::of_node(c)?)))
}

impl OpKernel for RandomUniformInt {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let shape = requested_shape(ctx, 0)?;
        let bound = |i: usize, name: &str| match ctx.input(i)? {
            t if t.rank() == 0 => t.to_i64(),
            t => Err(invalid_argument(format!("{name} must be 0-D, got shape {}", t.shape()))),
        };
        let (low, high) = (bound(1, "minval")?, bound(2, "maxval")?);
        let n = shape.num_elements();
        if low >= high && n > 0 {
            return Err(invalid_argument(format!("Need minval < maxval, got {low} >= {high}")));
        }
        let generator = self.0.for_outputs(n);
        // The range of two signed numbers always fits the unsigned type; numbers wrap as in TF.
        let out = if ctx.input(1)?.dtype() == DType::Int32 {
            let range = (high as i32).wrapping_sub(low as i32) as u32;
            Tensor::build::<i32>(shape, |out| {
                fill_blocks(ctx.step, &generator, out, 4, |w| w.map(|x| (low as i32).wrapping_add((x % range) as i32)));
                Ok(())
            })?
        } else {
            let range = high.wrapping_sub(low) as u64;
            let make = |a: u32, b: u32| low.wrapping_add(((a as u64 | (b as u64) << 32) % range) as i64);
            Tensor::build::<i64>(shape, |out| {
                fill_blocks(ctx.step, &generator, out, 2, |w| [make(w[0], w[1]), make(w[2], w[3]), 0, 0]);
                Ok(())
            })?
        };
        ctx.set_output(0, out);
        Ok(())
    }
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 0)?;
    c.with_rank(2, 0)?;
    from_first_input(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, tensor};
    use ferroflow_tensor::{Code, Element};

    fn draw<T: Element>(low: T, high: T, n: i32) -> Result<Tensor> {
        let (low, high) = (Tensor::scalar(low), Tensor::scalar(high));
        OpTester::new(&OP).input(tensor(&[1], &[n])).input(low).input(high).attr("seed", 87654321i64).attr("seed2", 7i64).run_one()
    }

    #[test]
    fn the_numbers_are_tensorflows() {
        assert_eq!(draw(-5i32, 100, 6).unwrap().as_slice::<i32>().unwrap(), [37, 62, 95, 29, 20, 48]);
        assert_eq!(
            draw(-5i64, 1_000_000_000_000, 5).unwrap().as_slice::<i64>().unwrap(),
            [553281434789, 389968060839, 819591684838, 439097564809, 115437491611]
        );
    }

    #[test]
    fn an_empty_range_is_refused_unless_nothing_is_drawn() {
        assert_eq!(draw(5i32, 3, 1).unwrap_err().bare_message(), "Need minval < maxval, got 5 >= 3");
        assert_eq!(draw(5i32, 5, 0).unwrap().num_elements(), 0);
        assert!(draw(i64::MIN, i64::MAX, 3).is_ok() && draw(i32::MIN, i32::MAX, 3).is_ok());
        let vector = OpTester::new(&OP).input(tensor(&[1], &[1i32])).input(tensor(&[1], &[0i32])).input(Tensor::scalar(3i32)).run();
        assert_eq!(vector.unwrap_err().code(), Code::InvalidArgument);
    }
}
