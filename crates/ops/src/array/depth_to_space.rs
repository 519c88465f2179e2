//! `DepthToSpace`: depth spread over square blocks of space.

use super::blocks::{Blocks, flat, lens};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DepthToSpace(input: T) -> (output: T)",
    attrs: "T: type; block_size: int >= 2; data_format: string in {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
    doc: "Images of depth `d` and `b` times the rows and columns from images of depth `d b b`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The attribute `block_size`, of a layout that the CPU has kernels for.
///
/// Errors: `InvalidArgument` for another layout or a size out of range.
pub(super) fn block_size(attrs: &AttrMap) -> Result<i64> {
    if attrs.str("data_format")? != "NHWC" {
        return Err(invalid_argument("Only NHWC data_format supported on CPU."));
    }
    let b = attrs.int("block_size")?;
    if !(2..1 << 15).contains(&b) {
        return Err(invalid_argument(format!("Block size should be > 1 and fit, but was: {b}")));
    }
    Ok(b)
}

/// The images at input 0 and the size of blocks.
///
/// Errors: `InvalidArgument` if they are not images, and as [`block_size`].
pub(super) fn images<'a>(ctx: &'a OpKernelContext) -> Result<(&'a Tensor, usize)> {
    let (x, b) = (ctx.input(0)?, block_size(&ctx.node.attrs)?);
    match x.rank() {
        4 => Ok((x, b as usize)),
        rank => Err(invalid_argument(format!("Input rank should be: 4 instead of: {rank}"))),
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, b) = images(ctx)?;
    let from = lens(x.dims());
    if !from[3].is_multiple_of(b * b) {
        return Err(invalid_argument(format!("Input depth dimension {} should be divisible by: {}", from[3], b * b)));
    }
    let depth = from[3] / (b * b);
    let to = [from[0], from[1] * b, from[2] * b, depth];
    let blocks = [from[0], from[1], from[2], b, b];
    let source = |at: &[usize]| Some(flat([at[0], at[1] / b, at[2] / b, at[1] % b, at[2] % b], &blocks));
    let y = Blocks { dims: to[..3].to_vec(), inner: depth, source }.run(x, Shape::from_lens(&to)?)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank(0, 4)?;
    let Ok(b) = block_size(&c.node().attrs) else { return Ok(()) };
    let multiplied = |d: Option<i64>| d.and_then(|d| d.checked_mul(b));
    if let Some(d) = s.dim(3).filter(|d| d % (b * b) != 0) {
        return Err(invalid_argument(format!("Dimension size must be evenly divisible by {} but is {d}", b * b)));
    }
    c.set_output(0, PartialShape::new(&[s.dim(0), multiplied(s.dim(1)), multiplied(s.dim(2)), s.dim(3).map(|d| d / (b * b))]));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let b = op.with_attrs(|a| a.int("block_size"))?;
    Ok(vec![Some(op.graph().op("SpaceToDepth").input(grads.dense(0)).attr("block_size", b).output().into())])
}
