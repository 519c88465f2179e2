//! `StringLower`: lower-case letters.

use super::letter_case;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringLower(input: string) -> (output: string)",
    attrs: "encoding: string = \"\"",
    doc: "Each string with its letters in lower case: those of ASCII, or all of them if `encoding` is `utf-8`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| letter_case::change(ctx, <[u8]>::to_ascii_lowercase, str::to_lowercase))],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_stay() {
        let x = Tensor::string(vec![b'A', 0xFF]);
        assert_eq!(OpTester::new(&OP).input(x.clone()).run_one().unwrap().as_strings().unwrap(), [&b"a\xff"[..]]);
        assert_eq!(OpTester::new(&OP).input(x).attr("encoding", "utf-8").run().unwrap_err().code(), Code::InvalidArgument);
    }
}
