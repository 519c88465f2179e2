//! `UnsortedSegmentJoin`: strings of each segment joined.

use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "UnsortedSegmentJoin(inputs: string, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: string)",
    attrs: "separator: string = \"\"; Tindices: type in {int32, int64}; Tnumsegments: type in {int32, int64} = int32",
    doc: "For each segment the strings whose id it is, in order, with `separator` between.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, ids, count) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    if !count.shape().is_scalar() {
        return Err(invalid_argument("Number of segments should be a scalar"));
    }
    let n = count.to_i64()?;
    if n <= 0 || n > 1 << 40 {
        return Err(invalid_argument(format!("Number of segments must be positive but is {n}")));
    }
    if ids.rank() == 0 {
        return Err(invalid_argument("segment_ids cannot have rank 0"));
    }
    if ids.rank() > x.rank() {
        return Err(out_of_range(format!("Invalid segment_id rank {} for input with {} dimension(s)", ids.rank(), x.rank())));
    }
    if x.dims().get(..ids.rank()) != Some(ids.dims()) {
        return Err(invalid_argument(format!("Segment ids shape {} must be a prefix of the data's shape {}", ids.shape(), x.shape())));
    }
    let rest = &x.dims()[ids.rank()..];
    let width = rest.iter().product::<i64>() as usize;
    let separator = ctx.node.attrs.str("separator")?.as_bytes();
    let shape = Shape::new(&[&[n], rest].concat())?;
    let mut joined: Vec<Option<Vec<u8>>> = crate::sparse::coo::filled(shape.num_elements(), None)?;
    let strings = x.as_strings()?;
    for (i, &id) in ids.to_i64s()?.iter().enumerate() {
        if id >= n {
            return Err(invalid_argument(format!("segment id {id} is not in [0, {n})")));
        }
        let Ok(id) = usize::try_from(id) else {
            return Err(invalid_argument(format!("segment id {id} is negative")));
        };
        for k in 0..width {
            let place = &mut joined[id * width + k];
            let s = &strings[i * width + k];
            match place {
                Some(text) => {
                    text.extend_from_slice(separator);
                    text.extend_from_slice(s);
                }
                None => *place = Some(s.to_vec()),
            }
        }
    }
    let y = Tensor::strings(shape, joined.into_iter().map(|s| Bytes::from(s.unwrap_or_default())).collect())?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(2, 0)?;
    let (x, ids) = (c.input(0), c.input(1));
    if let (Some(x), Some(ids)) = (x.dims(), ids.rank())
        && let Some(rest) = x.get(ids..)
    {
        c.set_output(0, PartialShape::new(&[&[None], rest].concat()));
    }
    Ok(())
}
