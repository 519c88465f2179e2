//! `UnicodeDecode`: the code points of strings.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnicodeDecode(input: string) -> (row_splits: Tsplits, char_values: int32)",
    attrs: "input_encoding: string; errors: string in {\"strict\", \"replace\", \"ignore\"} = \"replace\"; replacement_char: int = 65533; replace_control_characters: bool = false; Tsplits: type in {int32, int64} = int64",
    doc: "The code points of each string as a row of a ragged matrix.",
    shape: super::decoding::shape,
    kernels: &[Kernel::cpu(|ctx| super::decoding::decode(ctx, false))],
    ..WORDS
};
