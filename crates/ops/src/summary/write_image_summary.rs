//! `WriteImageSummary`: writes images.

use super::file_writer::{step, writer};
use super::image_summary::images;
use super::tags::scalar_tag;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "WriteImageSummary(writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8) -> ()",
    attrs: "max_images: int >= 1 = 3; T: type in {uint8, double, float, half} = float",
    flags: "stateful",
    doc: "Writes the first `max_images` images of `tensor` as PNG under `tag/image` or `tag/image/0`, …, as `ImageSummary` makes them.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let most = ctx.node.attrs.count("max_images")?;
    let summary = images(&scalar_tag(ctx, 2)?, ctx.input(3)?, most, ctx.input(4)?)?;
    writer(ctx)?.add_summary(step(ctx)?, &summary)
}
