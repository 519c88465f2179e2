//! `PlaceholderWithDefault`: a tensor that may be fed.

use super::{pass_through, placeholder};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PlaceholderWithDefault(input: dtype) -> (output: dtype)",
    attrs: "dtype: type; shape: shape",
    doc: "`input`, unless the step feeds another value.",
    shape: placeholder::shape,
    gradient: Gradient::Of(pass_through::gradient),
    kernels: &[Kernel::cpu(pass_through::compute).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_passes_through() {
        let shape = PartialShape::new(&[None]);
        let y = OpTester::new(&OP).input(tensor(&[2], &[1i32, 2])).attr("shape", shape).run_one().unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [1, 2]);
    }
}
