//! `ReadFile`: all bytes of a file.

use super::arguments::{file_system, text};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReadFile(filename: string) -> (contents: string)",
    doc: "The bytes of the file, as a scalar.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let bytes = file_system().read(&text(ctx, 0, "filename")?)?;
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}
