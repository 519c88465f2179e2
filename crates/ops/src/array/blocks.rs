//! Copies of equal blocks to new places: padding by mirroring, rolling, and moving blocks between dimensions are such copies.

use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

/// The result as blocks of neighbouring elements, each copied from a block of the source or filled with zeros.
pub(crate) struct Blocks<F> {
    /// The dimensions of the result in units of blocks.
    pub(crate) dims: Vec<usize>,
    /// Elements of a block.
    pub(crate) inner: usize,
    /// The number of the block of the source that goes to these coordinates, if any does.
    pub(crate) source: F,
}

impl<F: Fn(&[usize]) -> Option<usize>> Blocks<F> {
    /// The result, of this shape.
    ///
    /// Errors: `Internal` if the blocks do not make the shape; `ResourceExhausted` without memory.
    pub(crate) fn run(&self, x: &Tensor, shape: Shape) -> Result<Tensor> {
        if self.dims.iter().product::<usize>() * self.inner != shape.num_elements() {
            return Err(internal(format!("blocks do not make {shape}")));
        }
        let zero = Tensor::zeros(x.dtype(), Shape::scalar())?;
        rearrange(&[x, &zero], shape, self)
    }
}

impl<F: Fn(&[usize]) -> Option<usize>> Rearrange for Blocks<F> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let mut at = vec![0usize; self.dims.len()];
        for place in out.chunks_exact_mut(self.inner) {
            match (self.source)(&at) {
                None => place.fill(inputs[1][0].clone()),
                Some(block) => match inputs[0].get(block * self.inner..(block + 1) * self.inner) {
                    Some(from) => place.clone_from_slice(from),
                    None => return Err(internal("a block lies outside the source")),
                },
            }
            for axis in (0..at.len()).rev() {
                at[axis] += 1;
                if at[axis] < self.dims[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
        Ok(())
    }
}

/// The place of coordinates in a tensor of these dimensions.
pub(crate) fn flat(at: impl IntoIterator<Item = usize>, dims: &[usize]) -> usize {
    at.into_iter().zip(dims).fold(0, |p, (c, d)| p * d + c)
}

/// Dimensions as lengths.
pub(crate) fn lens(dims: &[i64]) -> Vec<usize> {
    dims.iter().map(|&d| d as usize).collect()
}
