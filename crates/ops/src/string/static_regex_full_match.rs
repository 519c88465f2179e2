//! `StaticRegexFullMatch`: whether strings match a fixed pattern.

use super::patterns;
use crate::prelude::*;
use regex::bytes::Regex;

pub const OP: OpSpec = OpSpec {
    signature: "StaticRegexFullMatch(input: string) -> (output: bool)",
    attrs: "pattern: string",
    doc: "Whether all of each string matches the regular expression `pattern`.",
    shape: shape::unchanged,
    kernels: &[Kernel::built(build)],
    ..WORDS
};

struct Match(Regex);

impl OpKernel for Match {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        patterns::match_each(ctx, &self.0)
    }
}

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(Match(patterns::full_match(c.node.attrs.bytes("pattern")?)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_string_must_match() {
        let run = |pattern: &str| OpTester::new(&OP).input(strings(&[3], &["s3://x", "", "as3://x"])).attr("pattern", pattern).run_one();
        assert_eq!(run("s3://.*|x").unwrap().as_slice::<bool>().unwrap(), [true, false, false]);
        assert_eq!(run("").unwrap().as_slice::<bool>().unwrap(), [false, true, false]);
        for pattern in ["(", "a)|(b", "(?:a{1000}){1000}"] {
            assert_eq!(run(pattern).unwrap_err().code(), Code::InvalidArgument, "{pattern}");
        }
    }
}
