//! One string after the other: what element-wise string ops share.

use crate::prelude::*;
use bytes::Bytes;

/// Sets output 0 to what `change` makes of each string of input 0.
///
/// Errors: what `change` returns.
pub(crate) fn map(ctx: &mut OpKernelContext, change: impl Fn(&Bytes) -> Result<Bytes>) -> Result<()> {
    let x = ctx.input(0)?;
    let strings = x.as_strings()?.iter().map(change).collect::<Result<Vec<_>>>()?;
    let y = Tensor::strings(x.shape().clone(), strings)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The bytes at which the characters of UTF-8 text begin; bytes that are no UTF-8 count with the character before them.
pub(crate) fn character_starts(s: &[u8]) -> Vec<usize> {
    s.iter().enumerate().filter(|(_, b)| *b & 0xC0 != 0x80).map(|(i, _)| i).collect()
}

/// The text of a string that is to be changed by its characters.
///
/// Errors: `InvalidArgument` if it is not UTF-8.
pub(crate) fn text(s: &[u8]) -> Result<&str> {
    std::str::from_utf8(s).map_err(|_| invalid_argument("a string is not valid UTF-8"))
}
