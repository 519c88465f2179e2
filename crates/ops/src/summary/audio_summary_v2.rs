//! `AudioSummaryV2`: sounds, for event files.

use super::tags::scalar_tag;
use super::write_audio_summary::sounds;
use crate::prelude::*;
use ferroflow_proto::Message;

pub const OP: OpSpec = OpSpec {
    signature: "AudioSummaryV2(tag: string, tensor: float, sample_rate: float) -> (summary: string)",
    attrs: "max_outputs: int >= 1 = 3",
    doc: "A serialized `Summary` with the first `max_outputs` sounds of `tensor`, `[batch, frames]` or `[batch, frames, channels]` of numbers in [-1, 1], as WAV under `tag/audio` or `tag/audio/0`, ….",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let rate = ctx.scalar::<f32>(2, "sample_rate")?;
    let summary = sounds(&scalar_tag(ctx, 0)?, ctx.input(1)?, rate, ctx.node.attrs.count("max_outputs")?)?;
    ctx.set_output(0, Tensor::string(summary.encode_to_vec()));
    Ok(())
}
