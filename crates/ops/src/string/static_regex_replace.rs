//! `StaticRegexReplace`: what a fixed pattern finds, replaced.

use super::{each, patterns};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StaticRegexReplace(input: string) -> (output: string)",
    attrs: "pattern: string; rewrite: string; replace_global: bool = true",
    doc: "Each string with what `pattern` finds replaced by `rewrite`, as `RegexReplace` does.",
    shape: shape::unchanged,
    kernels: &[Kernel::built(build)],
    ..WORDS
};

struct Replace(patterns::Replacement);

impl OpKernel for Replace {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        each::map(ctx, |s| Ok(self.0.apply(s).into()))
    }
}

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let a = &c.node.attrs;
    Ok(Box::new(Replace(patterns::Replacement::new(a.bytes("pattern")?, a.bytes("rewrite")?, a.bool("replace_global")?)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_match_is_replaced() {
        let y = OpTester::new(&OP).input("a-b-c").attr("pattern", "-").attr("rewrite", "").run_one().unwrap();
        assert_eq!(y.as_strings().unwrap(), ["abc"]);
    }
}
