//! `SpaceToDepth`: square blocks of space as depth.

use super::blocks::{Blocks, flat, lens};
use super::depth_to_space::{block_size, images};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SpaceToDepth(input: T) -> (output: T)",
    attrs: "T: type; block_size: int >= 2; data_format: string in {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
    doc: "Images whose depth holds the elements of blocks of `b` by `b` of the input's.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, b) = images(ctx)?;
    let from = lens(x.dims());
    if !from[1].is_multiple_of(b) || !from[2].is_multiple_of(b) {
        return Err(invalid_argument(format!("Image width {} and height {} should be divisible by block_size: {b}", from[2], from[1])));
    }
    let to = [from[0], from[1] / b, from[2] / b, from[3] * b * b];
    let source = |at: &[usize]| Some(flat([at[0], at[1] * b + at[3], at[2] * b + at[4]], &from[..3]));
    let y = Blocks { dims: vec![to[0], to[1], to[2], b, b], inner: from[3], source }.run(x, Shape::from_lens(&to)?)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank(0, 4)?;
    let Ok(b) = block_size(&c.node().attrs) else { return Ok(()) };
    if let Some(d) = [s.dim(1), s.dim(2)].into_iter().flatten().find(|d| d % b != 0) {
        return Err(invalid_argument(format!("Dimension size must be evenly divisible by {b} but is {d}")));
    }
    let divided = |d: Option<i64>| d.map(|d| d / b);
    c.set_output(0, PartialShape::new(&[s.dim(0), divided(s.dim(1)), divided(s.dim(2)), s.dim(3).and_then(|d| d.checked_mul(b * b))]));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let b = op.with_attrs(|a| a.int("block_size"))?;
    Ok(vec![Some(op.graph().op("DepthToSpace").input(grads.dense(0)).attr("block_size", b).output().into())])
}
