//! `UnicodeTranscode`: strings in another encoding.

use super::encoding::{Encoding, Errors, encoder};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnicodeTranscode(input: string) -> (output: string)",
    attrs: "input_encoding: string; output_encoding: string in {\"UTF-8\", \"UTF-16-BE\", \"UTF-32-BE\"}; errors: string in {\"strict\", \"replace\", \"ignore\"} = \"replace\"; replacement_char: int = 65533; replace_control_characters: bool = false",
    doc: "Each string, read in `input_encoding` and written in `output_encoding`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (encoding, errors, put) = (Encoding::named(attrs.str("input_encoding")?)?, Errors::of(attrs)?, encoder(attrs)?);
    super::each::map(ctx, |s| {
        let (mut text, mut refused) = (Vec::with_capacity(s.len()), None);
        encoding.decode(s, |found, _| match errors.settle(found) {
            Ok(c) => c.into_iter().for_each(|c| put(c, &mut text)),
            Err(e) => refused = Some(e),
        });
        refused.map_or(Ok(text.into()), Err)
    })
}
