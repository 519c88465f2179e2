//! `EncodeBase64`: strings as base64.

use super::{base64, each};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "EncodeBase64(input: string) -> (output: string)",
    attrs: "pad: bool = false",
    doc: "Each string in base64 with the letters that are safe in URLs; with `pad`, filled up with `=`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let pad = ctx.node.attrs.bool("pad")?;
    each::map(ctx, |s| Ok(base64::encode(s, pad).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_optional() {
        let run = |pad: bool| OpTester::new(&OP).input(strings(&[2], &["abc", "a"])).attr("pad", pad).run_one().unwrap();
        assert_eq!(run(true).as_strings().unwrap(), ["YWJj", "YQ=="]);
        assert_eq!(run(false).as_strings().unwrap(), ["YWJj", "YQ"]);
    }
}
