//! `UnicodeEncode`: strings of code points.

use super::encoding::{Errors, encoder};
use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "UnicodeEncode(input_values: int32, input_splits: Tsplits) -> (output: string)",
    attrs: "errors: string in {\"ignore\", \"replace\", \"strict\"} = \"replace\"; output_encoding: string in {\"UTF-8\", \"UTF-16-BE\", \"UTF-32-BE\"}; replacement_char: int = 65533; Tsplits: type in {int32, int64} = int64",
    doc: "Each row of a ragged matrix of code points as a string.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (values, splits) = (ctx.input(0)?.as_slice::<i32>()?, ctx.input(1)?);
    let (errors, put) = (Errors::of(&ctx.node.attrs)?, encoder(&ctx.node.attrs)?);
    if splits.rank() != 1 || splits.num_elements() == 0 || ctx.input(0)?.rank() != 1 {
        return Err(invalid_argument("input_values and input_splits must be vectors, and there must be at least one split"));
    }
    let splits = splits.to_i64s()?;
    if splits[0] != 0 {
        return Err(invalid_argument(format!("First value in input_splits must be zero, got {}", splits[0])));
    }
    if splits.windows(2).any(|w| w[0] > w[1]) {
        return Err(invalid_argument("Values in input_splits must be equal or in ascending order."));
    }
    if splits[splits.len() - 1] != values.len() as i64 {
        return Err(invalid_argument(format!("Last value in input_splits must be equal to length of input_tensor, {}", values.len())));
    }
    let one = |w: &[i64]| -> Result<Bytes> {
        let mut text = Vec::new();
        for &v in &values[w[0] as usize..w[1] as usize] {
            let found = u32::try_from(v).ok().filter(|&c| char::from_u32(c).is_some());
            let c = errors.settle(found).map_err(|_| invalid_argument("Code point is out of range for Unicode, or is a surrogate."))?;
            c.into_iter().for_each(|c| put(c, &mut text));
        }
        Ok(text.into())
    };
    let strings = splits.windows(2).map(one).collect::<Result<Vec<_>>>()?;
    let y = Tensor::strings(Shape::from_lens(&[strings.len()])?, strings)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 1)?;
    let n = c.with_rank(1, 1)?.dim(0).map(|n| (n - 1).max(0));
    c.set_output(0, PartialShape::new(&[n]));
    Ok(())
}
