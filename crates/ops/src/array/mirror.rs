//! Margins that mirror what they surround: what `MirrorPad` and its gradient share.

use super::padding::margins;
use crate::prelude::*;

/// How a margin repeats the tensor.
pub(crate) struct Mirror {
    /// Elements in front of and behind the tensor, along each dimension.
    pub(crate) margins: Vec<(usize, usize)>,
    /// 1 if the outermost element is not repeated, else 0.
    skipped: usize,
}

impl Mirror {
    /// The margins of a tensor of these dimensions, as the node's mode has them.
    ///
    /// Errors: `InvalidArgument` for malformed margins, and such as are longer than what they mirror.
    pub(crate) fn of(ctx: &OpKernelContext, paddings: &Tensor, rank: usize, dims: impl Fn(usize, usize) -> Option<i64>) -> Result<Mirror> {
        let skipped = usize::from(ctx.node.attrs.str("mode")? == "REFLECT");
        let pairs = margins(paddings, &Shape::new(&vec![0; rank])?)?;
        let pairs: Vec<(usize, usize)> = pairs.iter().map(|(a, b)| (*a as usize, *b as usize)).collect();
        for (i, &(before, behind)) in pairs.iter().enumerate() {
            let length = before.checked_add(behind).and_then(|both| dims(i, both)).unwrap_or(-1);
            if length < 0 || before as i64 > length - skipped as i64 || behind as i64 > length - skipped as i64 {
                if before == 0 && behind == 0 && length >= 0 {
                    continue;
                }
                return Err(invalid_argument(format!(
                    "paddings must be no greater than the dimension size{}: {before}, {behind} greater than {length}",
                    if skipped == 1 { " minus 1" } else { "" }
                )));
            }
        }
        Ok(Mirror { margins: pairs, skipped })
    }

    /// The place inside a dimension of this length that place `at` of the padded dimension repeats.
    pub(crate) fn inside(&self, axis: usize, at: usize, length: usize) -> usize {
        let before = self.margins[axis].0;
        if at < before {
            before - at - 1 + self.skipped
        } else if at - before < length {
            at - before
        } else {
            (length - 1 - self.skipped) - (at - before - length)
        }
    }
}
