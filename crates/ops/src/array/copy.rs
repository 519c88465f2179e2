//! `Copy`: what TF's debugger inserts behind a watched tensor.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Copy(input: T) -> (output: T)",
    attrs: "T: type; tensor_name: string = \"\"; debug_ops_spec: list(string) = []",
    flags: "uninitialized_input",
    doc: "A copy of `input` that shares no memory with it.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let y = ctx.input(0)?.deep_copy()?;
    ctx.set_output(0, y);
    Ok(())
}
