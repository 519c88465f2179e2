//! `UnravelIndex`: places in a flat array as coordinates.

use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnravelIndex(indices: Tidx, dims: Tidx) -> (output: Tidx)",
    attrs: "Tidx: type in {int32, int64} = int32",
    doc: "output[:, i] = the coordinates of place indices[i] in an array of shape dims.",
    shape: |c| {
        let indices = c.input(0);
        let rank = c.with_rank(1, 1)?.dim(0);
        let shape = match indices.dims() {
            Some([]) => PartialShape::new(&[rank]),
            Some([n]) => PartialShape::new(&[rank, *n]),
            _ => PartialShape::unknown(),
        };
        c.set_output(0, shape);
        Ok(())
    },
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("Tidx", INDEX)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (indices, dims) = (ctx.input(0)?, ctx.input(1)?);
    if indices.rank() > 1 {
        return Err(invalid_argument(format!("The indices can only be scalar or vector, got \"{}\"", indices.shape())));
    }
    if dims.rank() != 1 {
        return Err(invalid_argument(format!("The indices can only be 1-D, got \"{}\"", dims.shape())));
    }
    let (places, sizes) = (indices.to_i64s()?, dims.to_i64s()?);
    if sizes.iter().any(|d| *d <= 0) {
        return Err(invalid_argument("Input dims cannot contain a dim of zero or less"));
    }
    let total = sizes
        .iter()
        .try_fold(1i64, |n, d| n.checked_mul(*d))
        .ok_or_else(|| invalid_argument("Input dims product is causing integer overflow"))?;
    if places.is_empty() {
        return Err(invalid_argument(format!("received empty tensor indices: shape {}", indices.shape())));
    }
    if let Some(bad) = places.iter().find(|p| **p >= total) {
        return Err(invalid_argument(format!("index is out of bound as with dims: {bad} of {total}")));
    }
    let mut out = vec![0i64; sizes.len() * places.len()];
    for (i, &place) in places.iter().enumerate() {
        // A place before the first comes out as it does in TF, whose division rounds towards zero.
        let mut behind = 1;
        for (axis, size) in sizes.iter().enumerate().rev() {
            out[axis * places.len() + i] = place % (behind * size) / behind;
            behind *= size;
        }
    }
    let mut shape = vec![sizes.len()];
    shape.extend((indices.rank() == 1).then_some(places.len()));
    let y = index_tensor(indices.dtype(), Shape::from_lens(&shape)?, &out)?;
    ctx.set_output(0, y);
    Ok(())
}
