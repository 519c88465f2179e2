//! `Abort`: gives the step up.
//!
//! TF ends the whole process here; a server that serves others must not die of one client's graph, so the step fails instead.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Abort() -> ()",
    attrs: "error_msg: string = \"\"; exit_without_error: bool = false",
    doc: "Fails the step with `Aborted` and `error_msg`; with `exit_without_error` it does nothing.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    if ctx.node.attrs.bool("exit_without_error")? {
        return Ok(());
    }
    let message = String::from_utf8_lossy(ctx.node.attrs.bytes("error_msg")?).into_owned();
    Err(ferroflow_tensor::error::aborted(format!("Abort_op intentional failure; {message}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_fails_with_the_message() {
        let e = OpTester::new(&OP).attr("error_msg", "enough").run().unwrap_err();
        assert_eq!((e.code(), e.bare_message()), (Code::Aborted, "Abort_op intentional failure; enough"));
        assert!(OpTester::new(&OP).attr("exit_without_error", true).run().is_ok());
    }
}
