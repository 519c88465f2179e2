//! `WriteSummary`: writes a tensor under a tag.

use super::file_writer::{step, string, writer};
use super::tags::scalar_tag;
use crate::prelude::*;
use ferroflow_io::summary;

pub const OP: OpSpec = OpSpec {
    signature: "WriteSummary(writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string) -> ()",
    attrs: "T: type",
    flags: "stateful",
    doc: "Writes `tensor` under `tag`, shown as the serialised `SummaryMetadata` says.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let summary = summary::tensor(&scalar_tag(ctx, 3)?, ctx.input(2)?, string(ctx, 4, "summary_metadata")?)?;
    writer(ctx)?.add_summary(step(ctx)?, &summary)
}
