//! `WriteScalarSummary`: writes a number under a tag.

use super::file_writer::{step, writer};
use super::tags::{numbers, scalar_tag};
use crate::prelude::*;
use ferroflow_io::summary;

pub const OP: OpSpec = OpSpec {
    signature: "WriteScalarSummary(writer: resource, step: int64, tag: string, value: T) -> ()",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    flags: "stateful",
    doc: "Writes the scalar `value` under `tag`.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let value = ctx.input(3)?;
    let ([number], true) = (&numbers(value)?[..], value.shape().is_scalar()) else {
        return Err(invalid_argument(format!("value must be scalar, got shape {}", value.shape())));
    };
    writer(ctx)?.add_summary(step(ctx)?, &summary::scalar(&scalar_tag(ctx, 2)?, *number as f32))
}
