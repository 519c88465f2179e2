//! What kernels and shape functions of random ops share: the shape that is asked for, and the kernels that fill it.

use super::distribution::{RandomFloat, fill_blocks, fill_truncated};
use super::philox_source::{PhiloxSource, stateless};
use crate::types::{unsupported, with_float};
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext, StepContext};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Philox, Result, Shape, Tensor};

/// Which numbers are drawn.
#[derive(Clone, Copy)]
pub(super) enum Distribution {
    Uniform,
    Normal,
    TruncatedNormal,
}

/// The shape that input `i` asks for.
///
/// Errors: `InvalidArgument` if it is no vector of dimensions that are not negative.
pub(super) fn requested_shape(ctx: &OpKernelContext, i: usize) -> Result<Shape> {
    let t = ctx.input(i)?;
    if t.rank() != 1 {
        return Err(invalid_argument(format!("shape must be a vector of {{int32,int64}}, got shape {}", t.shape())));
    }
    Shape::new(&t.to_i64s()?)
}

/// The output has the shape that input 0 asks for.
///
/// Errors: `InvalidArgument` if it is constant and no shape.
pub(super) fn from_first_input(c: &mut ShapeContext) -> Result<()> {
    let shape = c.input_as_shape(0)?;
    c.set_output(0, shape);
    Ok(())
}

/// As [`from_first_input`], for an op whose input 1 is a pair of seeds.
///
/// Errors: `InvalidArgument` if the seed cannot have two elements.
pub(super) fn with_seed_pair(c: &mut ShapeContext) -> Result<()> {
    if c.with_rank(1, 1)?.dim(0).is_some_and(|n| n != 2) {
        return Err(invalid_argument(format!("seed must have shape [2], not {}", c.input(1))));
    }
    from_first_input(c)
}

/// A tensor of these numbers.
///
/// Errors: `ResourceExhausted` without memory; `Unimplemented` for types that are not floating-point.
pub(super) fn draw(step: &StepContext, generator: &Philox, distribution: Distribution, dtype: DType, shape: Shape) -> Result<Tensor> {
    with_float!(dtype => T, {
        Tensor::build::<T>(shape, |out| {
            match distribution {
                Distribution::Uniform => fill_blocks(step, generator, out, T::PER_BLOCK, T::uniform),
                Distribution::Normal => fill_blocks(step, generator, out, T::PER_BLOCK, T::normal),
                Distribution::TruncatedNormal => fill_truncated(step, generator, out),
            }
            Ok(())
        })
    }, else { Err(unsupported("a random op", dtype)) })
}

struct Stateful {
    distribution: Distribution,
    source: PhiloxSource,
    dtype: DType,
}

/// The kernel of a random op with a generator of its own.
///
/// Errors: `InvalidArgument` without the attributes.
pub(super) fn stateful(c: &KernelConstruction, distribution: Distribution) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(Stateful { distribution, source: PhiloxSource::of_node(c)?, dtype: c.node.attrs.dtype("dtype")? }))
}

impl OpKernel for Stateful {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let shape = requested_shape(ctx, 0)?;
        let generator = self.source.for_outputs(shape.num_elements());
        let out = draw(ctx.step, &generator, self.distribution, self.dtype, shape)?;
        ctx.set_output(0, out);
        Ok(())
    }
}

/// The pair of seeds at input `i`.
///
/// Errors: `InvalidArgument` if it is no vector of two.
pub(super) fn seed_pair(ctx: &OpKernelContext, i: usize) -> Result<[i64; 2]> {
    let seed = ctx.input(i)?;
    match (seed.rank(), &seed.to_i64s()?[..]) {
        (1, &[first, second]) => Ok([first, second]),
        _ => Err(invalid_argument(format!("seed must have shape [2], not {}", seed.shape()))),
    }
}

/// The generator of the pair of seeds at input `i`.
///
/// Errors: `InvalidArgument` if it is no vector of two.
pub(super) fn seeded(ctx: &OpKernelContext, i: usize) -> Result<Philox> {
    Ok(stateless(seed_pair(ctx, i)?))
}

/// The kernel of a random op that gets its seed as input 1.
///
/// Errors: `InvalidArgument` for a shape that is none or a seed that is no pair.
pub(super) fn by_seed(ctx: &mut OpKernelContext, distribution: Distribution) -> Result<()> {
    let shape = requested_shape(ctx, 0)?;
    let generator = seeded(ctx, 1)?;
    let out = draw(ctx.step, &generator, distribution, ctx.node.attrs.dtype("dtype")?, shape)?;
    ctx.set_output(0, out);
    Ok(())
}
