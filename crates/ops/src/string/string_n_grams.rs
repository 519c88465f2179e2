//! `StringNGrams`: runs of neighbouring strings joined.

use crate::array::dims::index_tensor;
use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "StringNGrams(data: string, data_splits: Tsplits) -> (ngrams: string, ngrams_splits: Tsplits)",
    attrs: "separator: string; ngram_widths: list(int) >= 0; left_pad: string; right_pad: string; pad_width: int; preserve_short_sequences: bool; Tsplits: type in {int32, int64} = int64",
    doc: "For each row of a ragged matrix of strings the runs of `ngram_widths` neighbours, joined, with `pad_width` pads at both ends.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Pads {
    left: Bytes,
    right: Bytes,
    separator: Bytes,
    /// Pads on either side; negative: one fewer than the run's length.
    width: i64,
}

impl Pads {
    fn of(&self, width: i64) -> i64 {
        let most = width - 1;
        if self.width < 0 { most } else { self.width.min(most) }
    }

    /// How many runs of this length a row gives.
    fn count(&self, length: i64, width: i64) -> i64 {
        (length + 2 * self.of(width) - width + 1).max(0)
    }

    /// The runs of this length.
    fn runs(&self, row: &[Bytes], width: i64, pads: i64) -> Vec<Bytes> {
        let pads = pads.max(0) as usize;
        let padded: Vec<&Bytes> = std::iter::repeat_n(&self.left, pads).chain(row).chain(std::iter::repeat_n(&self.right, pads)).collect();
        let join = |run: &[&Bytes]| Bytes::from(run.iter().map(|s| &s[..]).collect::<Vec<_>>().join(&self.separator[..]));
        padded.windows(width as usize).map(join).collect()
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (data, splits) = (ctx.input(0)?, ctx.input(1)?);
    let attrs = &ctx.node.attrs;
    let text = |name: &str| attrs.str(name).map(|s| Bytes::copy_from_slice(s.as_bytes()));
    let pads = Pads { left: text("left_pad")?, right: text("right_pad")?, separator: text("separator")?, width: attrs.int("pad_width")? };
    let widths = attrs.ints("ngram_widths")?;
    let keeps_short = attrs.bool("preserve_short_sequences")?;
    if pads.width > 1 << 20 {
        return Err(invalid_argument(format!("pad_width is too large: {}", pads.width)));
    }
    if let Some(bad) = widths.iter().find(|w| !(1..1 << 20).contains(*w)) {
        return Err(invalid_argument(format!("ngram_widths must contain positive values that fit, got {bad}")));
    }
    if data.rank() != 1 || splits.rank() != 1 {
        return Err(invalid_argument(format!("data and data_splits must be vectors, got shapes {} and {}", data.shape(), splits.shape())));
    }
    let strings = data.as_strings()?;
    let bounds = splits.to_i64s()?;
    if bounds.first().is_some_and(|&b| b != 0)
        || bounds.windows(2).any(|w| w[0] > w[1])
        || bounds.last().is_some_and(|&b| b != strings.len() as i64)
    {
        return Err(invalid_argument(format!("Invalid split values: they must rise from 0 to {}, got {bounds:?}", strings.len())));
    }
    if bounds.is_empty() {
        // As in TF, strings without any row stay what they are.
        let (data, splits) = (data.clone(), splits.clone());
        ctx.set_output(0, data);
        ctx.set_output(1, splits);
        return Ok(());
    }
    let (mut out, mut ends) = (Vec::new(), vec![0i64]);
    for pair in bounds.windows(2) {
        let row = &strings[pair[0] as usize..pair[1] as usize];
        let length = row.len() as i64;
        let before = out.len();
        for &width in widths {
            if pads.count(length, width) > 0 {
                out.extend(pads.runs(row, width, pads.of(width)));
            }
        }
        // A row too short for any run is one itself, if so asked.
        if keeps_short && out.len() == before && length > 0 {
            let whole = if pads.width < 0 { length } else { length + 2 * pads.width };
            out.extend(pads.runs(row, whole, if pads.width < 0 { 0 } else { pads.width }));
        }
        ends.push(out.len() as i64);
    }
    let ngrams = Tensor::strings(Shape::from_lens(&[out.len()])?, out)?;
    let ends = index_tensor(splits.dtype(), Shape::from_lens(&[ends.len()])?, &ends)?;
    ctx.set_output(0, ngrams);
    ctx.set_output(1, ends);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 1)?;
    let splits = c.with_rank(1, 1)?;
    c.set_output(0, PartialShape::of_rank(1));
    c.set_output(1, splits);
    Ok(())
}
