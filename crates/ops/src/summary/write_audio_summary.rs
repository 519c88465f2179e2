//! `WriteAudioSummary`: writes sounds.

use super::file_writer::{step, writer};
use super::tags::scalar_tag;
use crate::prelude::*;
use ferroflow_proto::Summary;
use ferroflow_proto::event::What;
use ferroflow_proto::summary::value::Value as Kind;
use ferroflow_proto::summary::{Audio, Value as SummaryValue};

pub const OP: OpSpec = OpSpec {
    signature: "WriteAudioSummary(writer: resource, step: int64, tag: string, tensor: float, sample_rate: float) -> ()",
    attrs: "max_outputs: int >= 1 = 3",
    flags: "stateful",
    doc: "Writes the first `max_outputs` sounds of `tensor`, `[batch, frames]` or `[batch, frames, channels]` of numbers in [-1, 1], as WAV under `tag/audio` or `tag/audio/0`, ….",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

/// A WAV file of 16-bit samples.
fn wav(samples: &[f32], channels: u16, rate: u32) -> Vec<u8> {
    let bytes = samples.len() as u32 * 2;
    let mut file = Vec::with_capacity(44 + samples.len() * 2);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(36 + bytes).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16u32.to_le_bytes());
    // PCM.
    file.extend_from_slice(&1u16.to_le_bytes());
    file.extend_from_slice(&channels.to_le_bytes());
    file.extend_from_slice(&rate.to_le_bytes());
    file.extend_from_slice(&rate.wrapping_mul(u32::from(channels) * 2).to_le_bytes());
    file.extend_from_slice(&(channels * 2).to_le_bytes());
    file.extend_from_slice(&16u16.to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend_from_slice(&bytes.to_le_bytes());
    for &sample in samples {
        // The cast keeps what is too large within the type.
        file.extend_from_slice(&((sample * 32768.0).round() as i16).to_le_bytes());
    }
    file
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let summary = sounds(&scalar_tag(ctx, 2)?, ctx.input(3)?, ctx.scalar::<f32>(4, "sample_rate")?, ctx.node.attrs.count("max_outputs")?)?;
    writer(ctx)?.add(step(ctx)?, What::Summary(summary))
}

/// A summary of the first `most` sounds of a tensor.
///
/// Errors: `InvalidArgument` for tensors that are no sounds.
pub(super) fn sounds(tag: &str, x: &Tensor, rate: f32, most: usize) -> Result<Summary> {
    if rate.is_nan() || rate <= 0.0 || rate > u32::MAX as f32 {
        return Err(invalid_argument(format!("sample_rate must be positive, got {rate}")));
    }
    let (frames, channels) = match *x.dims() {
        [_, frames] => (frames as usize, 1),
        [_, frames, channels @ 1..=256] => (frames as usize, channels as usize),
        _ => return Err(invalid_argument(format!("Tensor must be 3-D or 2-D, got: {}", x.shape()))),
    };
    let size = frames.saturating_mul(channels);
    if size > (u32::MAX / 4) as usize {
        return Err(invalid_argument(format!("sounds of {frames} frames do not fit into a WAV file")));
    }
    let mut summary = Summary::default();
    for i in 0..x.shape().dim(0).min(most) {
        let samples = &x.as_slice::<f32>()?[i * size..][..size];
        let audio = Audio {
            sample_rate: rate,
            num_channels: channels as i64,
            length_frames: frames as i64,
            encoded_audio_string: wav(samples, channels as u16, rate as u32).into(),
            content_type: "audio/wav".to_owned(),
        };
        let tag = if most > 1 { format!("{tag}/audio/{i}") } else { format!("{tag}/audio") };
        summary.value.push(SummaryValue { tag, value: Some(Kind::Audio(audio)), ..SummaryValue::default() });
    }
    Ok(summary)
}
