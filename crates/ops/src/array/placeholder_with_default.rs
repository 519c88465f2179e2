//! `PlaceholderWithDefault`: a tensor that may be fed.

use super::{pass_through, placeholder};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PlaceholderWithDefault(input: dtype) -> (output: dtype)",
    attrs: "dtype: type; shape: shape",
    doc: "`input`, unless the step feeds another value.",
    shape: placeholder::shape,
    gradient: Gradient::Of(pass_through::gradient),
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (expected, have) = (ctx.node.attrs.shape("shape")?, ctx.input(0)?.shape());
    if !expected.matches(have) {
        return Err(invalid_argument(format!("the default of placeholder '{}' has shape {have}, not {expected}", ctx.node.name)));
    }
    ctx.pass_on(0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_passes_through() {
        let shape = PartialShape::new(&[None]);
        let y = OpTester::new(&OP).input(tensor(&[2], &[1i32, 2])).attr("shape", shape).run_one().unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [1, 2]);
        let scalar = OpTester::new(&OP).input(1i32).attr("shape", PartialShape::new(&[None])).run_one();
        assert_eq!(scalar.unwrap_err().code(), Code::InvalidArgument);
    }
}
