//! Blocks of space moved to the batch and back: what `SpaceToBatchND`, `BatchToSpaceND` and their older forms share.

use super::blocks::{Blocks, flat, lens};
use crate::prelude::*;

/// Block sizes and margins, one for each dimension after the first.
pub(crate) struct Spatial {
    pub(crate) block: Vec<usize>,
    pub(crate) margins: Vec<(usize, usize)>,
}

impl Spatial {
    /// The sizes and margins that these tensors give.
    ///
    /// Errors: `InvalidArgument` for shapes that do not fit, blocks below 1 and negative margins.
    pub(crate) fn of(block: &[i64], margins: &Tensor, x: &Tensor, name: &str) -> Result<Spatial> {
        if margins.rank() != 2 || margins.dims() != [block.len() as i64, 2] {
            return Err(invalid_argument(format!("{name} should have shape [{}, 2] instead of {}", block.len(), margins.shape())));
        }
        if x.rank() < block.len() + 1 {
            return Err(invalid_argument(format!("input rank should be >= {} instead of {}", block.len() + 1, x.rank())));
        }
        if let Some(b) = block.iter().find(|b| **b < 1) {
            return Err(invalid_argument(format!("All values in block_shape must be positive, got {b}")));
        }
        let small = |v: i64| usize::try_from(v).ok().filter(|v| *v < 1 << 40);
        let pairs = margins.to_i64s()?.chunks_exact(2).map(|p| small(p[0]).zip(small(p[1]))).collect::<Option<Vec<_>>>();
        let Some(margins) = pairs else { return Err(invalid_argument(format!("{name} must be non-negative"))) };
        Ok(Spatial { block: block.iter().map(|&b| b as usize).collect(), margins })
    }
}

/// Sets output 0 to input 0 with margins of zeros, and blocks of space in the batch.
///
/// Errors: `InvalidArgument` if the blocks do not divide the space.
pub(crate) fn to_batch(ctx: &mut OpKernelContext, block: &[i64], margins: usize) -> Result<()> {
    let x = ctx.input(0)?;
    let s = Spatial::of(block, ctx.input(margins)?, x, "paddings")?;
    let n = s.block.len();
    let from = lens(x.dims());
    let blocks = s.block.iter().try_fold(1usize, |p, &b| p.checked_mul(b)).filter(|b| *b < 1 << 40);
    let Some(blocks) = blocks else { return Err(invalid_argument("block_shape is too large")) };
    let mut to = from.clone();
    to[0] = from[0].checked_mul(blocks).ok_or_else(|| invalid_argument("block_shape is too large"))?;
    for (d, (&b, &(before, behind))) in s.block.iter().zip(&s.margins).enumerate() {
        let padded = from[d + 1] + before + behind;
        if !padded.is_multiple_of(b) {
            return Err(invalid_argument(format!("padded_shape[{d}]={padded} is not divisible by block_shape[{d}]={b}")));
        }
        to[d + 1] = padded / b;
    }
    let source = |at: &[usize]| {
        let (mut block, image) = (at[0] / from[0].max(1), at[0] % from[0].max(1));
        let mut place = vec![0; n + 1];
        place[0] = image;
        for d in (0..n).rev() {
            let padded = at[d + 1] * s.block[d] + block % s.block[d];
            block /= s.block[d];
            place[d + 1] = padded.checked_sub(s.margins[d].0).filter(|&p| p < from[d + 1])?;
        }
        Some(flat(place, &from))
    };
    let y = Blocks { dims: to[..=n].to_vec(), inner: from[n + 1..].iter().product(), source }.run(x, Shape::from_lens(&to)?)?;
    ctx.set_output(0, y);
    Ok(())
}

/// Sets output 0 to input 0 with blocks of the batch put back into space, without the margins.
///
/// Errors: `InvalidArgument` if the blocks do not divide the batch, or the margins are larger than the space.
pub(crate) fn to_space(ctx: &mut OpKernelContext, block: &[i64], margins: usize) -> Result<()> {
    let x = ctx.input(0)?;
    let s = Spatial::of(block, ctx.input(margins)?, x, "crops")?;
    let n = s.block.len();
    let from = lens(x.dims());
    let blocks = s.block.iter().try_fold(1usize, |p, &b| p.checked_mul(b)).filter(|b| *b < 1 << 40);
    let Some(blocks) = blocks.filter(|b| from[0].is_multiple_of(*b)) else {
        return Err(invalid_argument(format!("Input batch dimension ({}) is not divisible by product of block sizes", from[0])));
    };
    let mut to = from.clone();
    to[0] = from[0] / blocks;
    for (d, (&b, &(before, behind))) in s.block.iter().zip(&s.margins).enumerate() {
        let whole = from[d + 1].checked_mul(b).and_then(|w| w.checked_sub(before)?.checked_sub(behind));
        to[d + 1] =
            whole.ok_or_else(|| invalid_argument(format!("crops {before}, {behind} are larger than dimension {} of the result", d + 1)))?;
    }
    let source = |at: &[usize]| {
        let mut place = vec![0; n + 1];
        let mut block = 0;
        for d in 0..n {
            let whole = at[d + 1] + s.margins[d].0;
            place[d + 1] = whole / s.block[d];
            block = block * s.block[d] + whole % s.block[d];
        }
        place[0] = block * to[0] + at[0];
        Some(flat(place, &from))
    };
    let y = Blocks { dims: to[..=n].to_vec(), inner: from[n + 1..].iter().product(), source }.run(x, Shape::from_lens(&to)?)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The numbers of the vector at input 1.
///
/// Errors: `InvalidArgument` if it is no vector.
pub(crate) fn block_shape(ctx: &OpKernelContext) -> Result<Vec<i64>> {
    let block = ctx.input(1)?;
    if block.rank() != 1 {
        return Err(invalid_argument(format!("block_shape rank should be 1 instead of {}", block.rank())));
    }
    Ok(block.to_i64s()?.to_vec())
}

/// The block of the older forms: the attribute `block_size` twice.
///
/// Errors: `InvalidArgument` if the input has not four dimensions.
pub(crate) fn square(ctx: &OpKernelContext) -> Result<[i64; 2]> {
    let size = ctx.node.attrs.int("block_size")?;
    if ctx.input(0)?.rank() != 4 {
        return Err(invalid_argument(format!("Input rank should be: 4 instead of: {}", ctx.input(0)?.rank())));
    }
    Ok([size, size])
}

/// The rank of the input.
///
/// Errors: none.
pub(crate) fn same_rank(c: &mut ShapeContext) -> Result<()> {
    if let Some(rank) = c.input(0).rank() {
        c.set_output(0, PartialShape::of_rank(rank));
    }
    Ok(())
}
