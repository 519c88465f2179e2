//! `WriteHistogramSummary`: writes how numbers are distributed.

use super::file_writer::{step, writer};
use super::histogram_summary::histogram_of;
use super::tags::scalar_tag;
use crate::prelude::*;
use ferroflow_io::summary;

pub const OP: OpSpec = OpSpec {
    signature: "WriteHistogramSummary(writer: resource, step: int64, tag: string, values: T) -> ()",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, bool} = float",
    flags: "stateful",
    doc: "Writes the histogram of all elements of `values` under `tag`; NaN and infinities are errors.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let tag = scalar_tag(ctx, 2)?;
    let histogram = histogram_of(ctx.input(3)?, &tag)?;
    writer(ctx)?.add_summary(step(ctx)?, &summary::histogram(&tag, &histogram))
}
