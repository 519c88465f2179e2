//! `RegexReplace`: what a pattern finds, replaced.

use super::{each, patterns};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RegexReplace(input: string, pattern: string, rewrite: string) -> (output: string)",
    attrs: "replace_global: bool = true",
    doc: "Each string with what `pattern` finds (the first only without `replace_global`) replaced by `rewrite`, in which `\\\\1` names a \
          group.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (pattern, rewrite) = (patterns::scalar(ctx, 1, "Pattern")?, patterns::scalar(ctx, 2, "Rewrite")?);
    let replacement = patterns::Replacement::new(pattern, rewrite, ctx.node.attrs.bool("replace_global")?)?;
    each::map(ctx, |s| Ok(replacement.apply(s).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_named_by_number() {
        let run = |rewrite: &str, all: bool| {
            OpTester::new(&OP).input("ab1 cd2").input(r"([a-z]+)(\d)").input(rewrite).attr("replace_global", all).run_one()
        };
        assert_eq!(run(r"\2\1", true).unwrap().as_strings().unwrap(), ["1ab 2cd"]);
        assert_eq!(run(r"<\0\\>", false).unwrap().as_strings().unwrap(), [r"<ab1\> cd2"]);
        assert_eq!(run("$1", true).unwrap().as_strings().unwrap(), ["$1 $1"]);
        assert_eq!(run(r"\3", true).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(run(r"\", true).unwrap_err().code(), Code::InvalidArgument);
    }
}
