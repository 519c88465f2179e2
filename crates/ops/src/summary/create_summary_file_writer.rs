//! `CreateSummaryFileWriter`: makes a summary writer that writes an event file.

use super::file_writer::{SummaryFileWriter, string};
use crate::prelude::*;
use crate::state::variable_access::handle_in;
use std::time::Duration;

pub const OP: OpSpec = OpSpec {
    signature: "CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string) -> ()",
    attrs: "",
    flags: "stateful",
    doc: "Creates an event file in `logdir` for the writer, unless it has one; it is flushed after `max_queue` events and after `flush_millis`.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let text = |i: usize, name: &str| Ok::<_, ferroflow_tensor::Error>(String::from_utf8_lossy(string(ctx, i, name)?).into_owned());
    let (logdir, suffix) = (text(1, "logdir")?, text(4, "filename_suffix")?);
    let most = ctx.scalar::<i32>(2, "max_queue")?.max(0) as usize;
    let interval = Duration::from_millis(ctx.scalar::<i32>(3, "flush_millis")?.max(0) as u64);
    let handle = handle_in(ctx.input(0)?)?;
    ctx.resources()
        .lookup_or_create(&handle.container, &handle.name, || SummaryFileWriter::create(&logdir, &suffix, most, interval))
        .map(|_| ())
}
