//! `ParameterizedTruncatedNormal`: normal numbers between bounds, with a distribution for each row.

use super::philox_source::PhiloxSource;
use super::shape_argument::{from_first_input, requested_shape};
use super::truncated::{Truncated, blocks, wide};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ParameterizedTruncatedNormal(shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype) -> (output: dtype)",
    attrs: "seed: int = 0; seed2: int = 0; dtype: type in {half, bfloat16, float, double}; T: type in {int32, int64}",
    flags: "stateful",
    doc: "Numbers of the requested shape from normal distributions with these means and deviations, between these bounds: one distribution for all, or one for each row.",
    shape: from_first_input,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build).on("dtype", FLOATS)],
    tolerance: Tolerance::Within(1e-3),
    ..WORDS
};

/// Numbers of one distribution are drawn in groups of so many.
const GROUP: usize = 100;

struct Parameterized(PhiloxSource);

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(Parameterized(PhiloxSource::of_node(c)?)))
}

impl OpKernel for Parameterized {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let shape = requested_shape(ctx, 0)?;
        if shape.is_scalar() {
            return Err(invalid_argument("Shape tensor must not be empty"));
        }
        let rows = shape.dim(0);
        let mut parameters = Vec::new();
        for (i, name) in [(1, "means"), (2, "stddevs"), (3, "minvals"), (4, "maxvals")] {
            let t = ctx.input(i)?;
            if t.rank() > 1 {
                return Err(invalid_argument(format!("Input {name} should be a scalar or vector, got shape: {}", t.shape())));
            }
            if t.num_elements() != 1 && t.num_elements() != rows {
                return Err(invalid_argument(format!("Input {name} should have length 1 or shape[0], got shape: {}", t.shape())));
            }
            parameters.push(wide(t)?);
        }
        if shape.num_elements() == 0 {
            let empty = Tensor::zeros(ctx.node.output_types[0].dtype, shape)?;
            ctx.set_output(0, empty);
            return Ok(());
        }
        let is_one = parameters.iter().all(|p| p.len() == 1);
        let (groups, size) = if is_one { (shape.num_elements().div_ceil(GROUP), GROUP) } else { (rows, shape.num_elements() / rows) };
        let mut generator = self.0.reserve(blocks(groups, size));
        let y = with_float!(ctx.node.output_types[0].dtype => T, {
            Tensor::build(shape, |out: &mut [T]| {
                for (g, part) in out.chunks_mut(size).enumerate() {
                    let [mean, deviation, low, high] = [0, 1, 2, 3].map(|i| parameters[i][g.min(parameters[i].len() - 1)]);
                    let n = part.len();
                    let put = |i: usize, x: f64| part[i] = narrow(x);
                    Truncated { mean, deviation, low, high }.fill::<T>(&mut generator, put, n)?;
                }
                Ok(())
            })?
        }, else { return Err(unsupported("ParameterizedTruncatedNormal", ctx.node.output_types[0].dtype)) });
        ctx.set_output(0, y);
        Ok(())
    }
}

fn narrow<T: Element>(x: f64) -> T
where
    f64: AsPrimitive<T>,
{
    x.as_()
}
