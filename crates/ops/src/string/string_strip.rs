//! `StringStrip`: strings without blanks around them.

use super::each;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringStrip(input: string) -> (output: string)",
    doc: "Each string without the blanks at its beginning and end.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    each::map(ctx, |s| Ok(s.slice_ref(s.trim_ascii())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_inside_stay() {
        let y = OpTester::new(&OP).input(strings(&[3], &[" a b\t", "", " \n"])).run_one().unwrap();
        assert_eq!(y.as_strings().unwrap(), ["a b", "", ""]);
    }
}
