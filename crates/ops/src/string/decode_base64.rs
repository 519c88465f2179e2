//! `DecodeBase64`: strings out of base64.

use super::{base64, each};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeBase64(input: string) -> (output: string)",
    doc: "What each string says in base64 with the letters that are safe in URLs, padded or not.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    each::map(ctx, |s| {
        let bytes = base64::decode(s).ok_or_else(|| invalid_argument("Invalid character found in base64."))?;
        Ok(bytes.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_letters_are_refused() {
        assert_eq!(OpTester::new(&OP).input("YWJj").run_one().unwrap().as_strings().unwrap(), ["abc"]);
        assert_eq!(OpTester::new(&OP).input("YW+j").run().unwrap_err().code(), Code::InvalidArgument);
    }
}
