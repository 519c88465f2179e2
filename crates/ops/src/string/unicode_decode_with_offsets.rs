//! `UnicodeDecodeWithOffsets`: the code points of strings, and where they begin.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnicodeDecodeWithOffsets(input: string) -> (row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64)",
    attrs: "input_encoding: string; errors: string in {\"strict\", \"replace\", \"ignore\"} = \"replace\"; replacement_char: int = 65533; replace_control_characters: bool = false; Tsplits: type in {int32, int64} = int64",
    doc: "The code points of each string as a row of a ragged matrix, and at which byte of the string each begins.",
    shape: super::decoding::shape,
    kernels: &[Kernel::cpu(|ctx| super::decoding::decode(ctx, true))],
    ..WORDS
};
