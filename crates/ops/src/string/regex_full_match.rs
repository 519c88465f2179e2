//! `RegexFullMatch`: whether strings match a pattern.

use super::patterns;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RegexFullMatch(input: string, pattern: string) -> (output: bool)",
    doc: "Whether all of each string matches the regular expression `pattern`, a scalar.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let pattern = patterns::full_match(patterns::scalar(ctx, 1, "Pattern")?)?;
    patterns::match_each(ctx, &pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_is_a_scalar() {
        let y = OpTester::new(&OP).input(strings(&[2], &["aab", "aabb"])).input("a+b?").run_one().unwrap();
        assert_eq!(y.as_slice::<bool>().unwrap(), [true, false]);
        let e = OpTester::new(&OP).input("a").input(strings(&[1], &["a"])).run().unwrap_err();
        assert_eq!(e.bare_message(), "Pattern must be scalar, but received [1]");
    }
}
