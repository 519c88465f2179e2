//! `FlushSummaryWriter`: brings what was written into the event file.

use super::file_writer::writer;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FlushSummaryWriter(writer: resource) -> ()",
    attrs: "",
    flags: "stateful",
    doc: "Makes all events that the writer has been given visible to readers of its file.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    writer(ctx)?.flush()
}
