//! `CloseSummaryWriter`: ends a summary writer.

use super::file_writer::{SummaryFileWriter, writer};
use crate::prelude::*;
use crate::state::variable_access::handle_in;

pub const OP: OpSpec = OpSpec {
    signature: "CloseSummaryWriter(writer: resource) -> ()",
    attrs: "",
    flags: "stateful",
    doc: "Flushes the writer and forgets it.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    writer(ctx)?.flush()?;
    let handle = handle_in(ctx.input(0)?)?;
    ctx.resources().delete::<SummaryFileWriter>(&handle.container, &handle.name)
}
