//! Strings as rows of code points: what `UnicodeDecode` and `UnicodeDecodeWithOffsets` share.

use super::encoding::{Encoding, Errors};
use crate::array::dims::index_tensor;
use crate::prelude::*;

/// The kernel, with the places of the code points in the strings or without.
///
/// Errors: `InvalidArgument` for unknown encodings, and malformed strings that are not allowed.
pub(super) fn decode(ctx: &mut OpKernelContext, with_offsets: bool) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (encoding, errors) = (Encoding::named(attrs.str("input_encoding")?)?, Errors::of(attrs)?);
    let (mut values, mut offsets, mut splits) = (Vec::<i32>::new(), Vec::<i64>::new(), vec![0i64]);
    for s in ctx.input(0)?.as_strings()? {
        let mut refused = None;
        encoding.decode(s, |found, at| match errors.settle(found) {
            Ok(Some(c)) => {
                values.push(u32::from(c) as i32);
                offsets.push(at as i64);
            }
            Ok(None) => {}
            Err(e) => refused = Some(e),
        });
        if let Some(e) = refused {
            return Err(e);
        }
        splits.push(values.len() as i64);
    }
    let splits = index_tensor(attrs.dtype("Tsplits")?, Shape::from_lens(&[splits.len()])?, &splits)?;
    ctx.set_output(0, splits);
    ctx.set_output(1, Tensor::vector(&values)?);
    if with_offsets {
        ctx.set_output(2, Tensor::vector(&offsets)?);
    }
    Ok(())
}

/// A row of splits more than strings, and as many code points as there are.
///
/// Errors: none.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.input(0).to_shape().map(|s| s.num_elements() as i64 + 1);
    c.set_output(0, PartialShape::new(&[n]));
    (1..c.node().output_types.len()).for_each(|i| c.set_output(i, PartialShape::of_rank(1)));
    Ok(())
}
