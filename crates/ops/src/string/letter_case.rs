//! Upper and lower case: what `StringUpper` and `StringLower` share.

use super::each;
use crate::prelude::*;

/// Sets output 0 to each string changed by `ascii`, or by `unicode` if the attribute `encoding` says `utf-8`.
///
/// Errors: `InvalidArgument` for another encoding, or text that is not UTF-8.
pub(crate) fn change(ctx: &mut OpKernelContext, ascii: fn(&[u8]) -> Vec<u8>, unicode: fn(&str) -> String) -> Result<()> {
    match ctx.node.attrs.str("encoding")? {
        "" => each::map(ctx, |s| Ok(ascii(s).into())),
        "utf-8" => each::map(ctx, |s| Ok(unicode(each::text(s)?).into())),
        other => Err(invalid_argument(format!("only utf-8 or '' (no encoding) is supported, received {other}"))),
    }
}
