//! `Assert`: fails unless a condition holds.

use super::value_text::summary;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Assert(condition: bool, data: T) -> ()",
    attrs: "T: list(type) >= 1; summarize: int = 3",
    flags: "stateful",
    doc: "Fails with the first `summarize` elements of each of `data` if the scalar `condition` is false.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let condition = ctx.input(0)?;
    if !condition.shape().is_scalar() {
        return Err(invalid_argument(format!("In[0] should be a scalar: {}", condition.shape())));
    }
    if condition.to_scalar::<bool>()? {
        return Ok(());
    }
    let most = ctx.node.attrs.int("summarize")?;
    let data: Vec<String> = (1..ctx.num_inputs()).map(|i| Ok(format!("[{}]", summary(ctx.input(i)?, most)))).collect::<Result<_>>()?;
    Err(invalid_argument(format!("assertion failed: {}", data.join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_the_data() {
        let run = |ok: bool| OpTester::new(&OP).input(ok).input_list([Tensor::string("x must be"), tensor(&[4], &[1i32, 2, 3, 4])]).run();
        assert!(run(true).unwrap().is_empty());
        assert_eq!(run(false).unwrap_err().bare_message(), "assertion failed: [x must be] [1 2 3...]");
        let e = OpTester::new(&OP).input(tensor(&[1], &[false])).input_list([Tensor::scalar(1i32)]).run().unwrap_err();
        assert_eq!(e.bare_message(), "In[0] should be a scalar: [1]");
    }
}
