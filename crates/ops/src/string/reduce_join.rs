//! `ReduceJoin`: strings joined along dimensions.

use crate::prelude::*;
use bytes::{Bytes, BytesMut};

pub const OP: OpSpec = OpSpec {
    signature: "ReduceJoin(inputs: string, reduction_indices: int32) -> (output: string)",
    attrs: "keep_dims: bool = false; separator: string = \"\"",
    doc: "The strings along the dimensions `reduction_indices` (the first of them first) joined with `separator` between them; with `keep_dims` those \
          dimensions stay with length 1.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn axes(indices: &Tensor, rank: usize) -> Result<Vec<usize>> {
    let mut axes = Vec::new();
    for &i in indices.to_i64s()?.iter() {
        let axis = crate::array::dims::axis_in(i, rank)
            .map_err(|_| out_of_range(format!("Invalid reduction dimension {i} for input with {rank} dimension(s)")))?;
        if axes.contains(&axis) {
            return Err(invalid_argument(format!("Duplicate reduction dimension {axis}")));
        }
        axes.push(axis);
    }
    Ok(axes)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let axes = axes(ctx.input(1)?, x.rank())?;
    let keep = ctx.node.attrs.bool("keep_dims")?;
    let separator = ctx.node.attrs.bytes("separator")?;
    let strings = x.as_strings()?;
    let strides = crate::array::strided::row_major(x.dims());
    let left: Vec<usize> = (0..x.rank()).filter(|a| !axes.contains(a)).collect();
    let dims: Vec<i64> = if keep {
        (0..x.rank()).map(|a| if axes.contains(&a) { 1 } else { x.dims()[a] }).collect()
    } else {
        left.iter().map(|&a| x.dims()[a]).collect()
    };
    let offsets = |axes: &[usize]| {
        let mut offsets = vec![0usize];
        for &a in axes {
            let step = strides[a] as usize;
            offsets = offsets.iter().flat_map(|o| (0..x.dims()[a] as usize).map(move |i| o + i * step)).collect();
        }
        offsets
    };
    // The dimension named first runs fastest.
    let inner = offsets(&axes.iter().rev().copied().collect::<Vec<_>>());
    let join = |base: usize| -> Bytes {
        let mut joined = BytesMut::new();
        for (k, o) in inner.iter().enumerate() {
            if k > 0 {
                joined.extend_from_slice(separator);
            }
            joined.extend_from_slice(&strings[base + o]);
        }
        joined.freeze()
    };
    let y = Tensor::strings(Shape::new(&dims)?, offsets(&left).into_iter().map(join).collect())?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(0);
    let (Some(dims), Some(indices)) = (s.dims(), c.constant(1)) else { return Ok(()) };
    let axes = axes(indices, dims.len())?;
    let keep = c.node().attrs.bool("keep_dims")?;
    let out: Vec<Option<i64>> = dims
        .iter()
        .enumerate()
        .filter(|(a, _)| keep || !axes.contains(a))
        .map(|(a, d)| if axes.contains(&a) { Some(1) } else { *d })
        .collect();
    c.set_output(0, PartialShape::new(&out));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(axes: &[i32], keep: bool) -> Result<Tensor> {
        let x = strings(&[2, 2], &["a", "b", "c", "d"]);
        OpTester::new(&OP).input(x).input(tensor(&[axes.len() as i64], axes)).attr("keep_dims", keep).attr("separator", ".").run_one()
    }

    #[test]
    fn dimensions_are_joined_in_the_order_given() {
        assert_eq!(join(&[1], false).unwrap().as_strings().unwrap(), ["a.b", "c.d"]);
        assert_eq!(join(&[0, 1], false).unwrap().as_strings().unwrap(), ["a.c.b.d"]);
        assert_eq!(join(&[1, 0], false).unwrap().as_strings().unwrap(), ["a.b.c.d"]);
        assert_eq!(join(&[-2], true).unwrap().dims(), [1, 2]);
        assert_eq!(join(&[], false).unwrap().dims(), [2, 2]);
        assert_eq!(join(&[2], false).unwrap_err().code(), Code::OutOfRange);
        assert_eq!(join(&[1, -1], false).unwrap_err().bare_message(), "Duplicate reduction dimension 1");
        let empty = OpTester::new(&OP).input(strings(&[0, 2], &[])).input(tensor(&[1], &[0i32])).run_one().unwrap();
        assert_eq!(empty.as_strings().unwrap(), ["", ""]);
    }
}
