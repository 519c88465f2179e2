//! `StringUpper`: upper-case letters.

use super::letter_case;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringUpper(input: string) -> (output: string)",
    attrs: "encoding: string = \"\"",
    doc: "Each string with its letters in upper case: those of ASCII, or all of them if `encoding` is `utf-8`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| letter_case::change(ctx, <[u8]>::to_ascii_uppercase, str::to_uppercase))],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_letters_need_the_encoding() {
        let run = |encoding: &str| OpTester::new(&OP).input("aä").attr("encoding", encoding).run_one();
        assert_eq!(run("").unwrap().as_strings().unwrap(), ["Aä"]);
        assert_eq!(run("utf-8").unwrap().as_strings().unwrap(), ["AÄ"]);
        assert_eq!(run("latin-1").unwrap_err().code(), Code::InvalidArgument);
    }
}
