//! `StringSplit`: strings cut at any of several characters.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringSplit(input: string, delimiter: string) -> (indices: int64, values: string, shape: int64)",
    attrs: "skip_empty: bool = true",
    doc: "The pieces of each string of the vector `input` between characters of `delimiter` (or single characters, if that is empty), as a sparse matrix.",
    shape: super::string_split_v2::shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, delimiter) = (ctx.input(0)?, ctx.input(1)?);
    if x.rank() != 1 {
        return Err(invalid_argument(format!("input must be a vector, got shape: {}", x.shape())));
    }
    let [cut] = delimiter.as_strings()? else {
        return Err(invalid_argument(format!("delimiter must be a scalar, got shape: {}", delimiter.shape())));
    };
    if !delimiter.shape().is_scalar() {
        return Err(invalid_argument(format!("delimiter must be a scalar, got shape: {}", delimiter.shape())));
    }
    let skip_empty = ctx.node.attrs.bool("skip_empty")?;
    let (mut indices, mut values, mut longest) = (Vec::new(), Vec::new(), 0);
    for (row, s) in x.as_strings()?.iter().enumerate() {
        let mut pieces = Vec::new();
        if cut.is_empty() {
            pieces.extend((0..s.len()).map(|i| s.slice(i..i + 1)));
        } else if !s.is_empty() {
            let mut start = 0;
            for end in s.iter().enumerate().filter(|(_, b)| cut.contains(b)).map(|(i, _)| i).chain([s.len()]) {
                if end > start || !skip_empty {
                    pieces.push(s.slice(start..end));
                }
                start = end + 1;
            }
        }
        longest = longest.max(pieces.len());
        indices.extend((0..pieces.len()).flat_map(|column| [row as i64, column as i64]));
        values.extend(pieces);
    }
    let (n, rows) = (values.len(), x.num_elements() as i64);
    ctx.set_output(0, Tensor::from_slice(Shape::from_lens(&[n, 2])?, &indices)?);
    ctx.set_output(1, Tensor::strings(Shape::from_lens(&[n])?, values)?);
    ctx.set_output(2, Tensor::vector(&[rows, longest as i64])?);
    Ok(())
}
