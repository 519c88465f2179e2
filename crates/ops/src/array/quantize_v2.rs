//! `QuantizeV2`: numbers as integers of few bits.

use super::quantization::{Mode, QUANTISED, Setting, Stored, half_range, limits, quantised_shape, step, storage};
use crate::prelude::*;
use ferroflow_tensor::dispatch;

pub const OP: OpSpec = OpSpec {
    signature: "QuantizeV2(input: float, min_range: float, max_range: float) -> (output: T, output_min: float, output_max: float)",
    attrs: "T: type in {qint8, quint8, qint32, qint16, quint16}; mode: string in {\"MIN_COMBINED\", \"MIN_FIRST\", \"SCALED\"} = \"MIN_COMBINED\"; round_mode: string in {\"HALF_AWAY_FROM_ZERO\", \"HALF_TO_EVEN\"} = \"HALF_AWAY_FROM_ZERO\"; narrow_range: bool = false; axis: int = -1; ensure_minimum_range: float = 0.009999999776482582",
    doc: "Each element as the nearest of the integers that divide [output_min, output_max]; the range is widened to hold zero and to be no smaller than the least.",
    shape: quantised_shape,
    kernels: &[Kernel::cpu(compute).on("T", QUANTISED)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// A range that holds zero and is not too small.
fn widened(min: f32, max: f32, least: f32) -> Result<(f32, f32)> {
    if min > max || min.is_nan() || max.is_nan() {
        return Err(invalid_argument(format!("input_max_range must be larger than input_min_range, got {min} and {max}")));
    }
    let low = min.min(0.0);
    let epsilon = min.abs().max(max.abs()).max(1.0) * least;
    Ok((low, max.max(low + epsilon).max(0.0)))
}

/// Quantises to one range, which SCALED makes symmetric.
struct Quantiser {
    mode: Mode,
    min: f32,
    max: f32,
    scale: f32,
}

impl Quantiser {
    fn of<T: Stored>(setting: &Setting, (min, max): (f32, f32)) -> Quantiser {
        let (least, most) = limits::<T>(setting.mode == Mode::Scaled && setting.narrow);
        match setting.mode {
            Mode::Scaled => {
                let side = |limit: f64, range: f32| if limit as f32 * range > 0.0 { limit as f32 / range } else { f32::MAX };
                let scale = side(least, min).min(side(most, max));
                Quantiser { mode: Mode::Scaled, min: least as f32 / scale, max: most as f32 / scale, scale }
            }
            mode => Quantiser { mode, min, max, scale: ((most - least) / f64::from(max - min)) as f32 },
        }
    }

    fn quantised<T: Stored>(&self, x: f32, to_even: bool) -> T {
        let (least, most) = limits::<T>(false);
        let clamped = x.min(self.max).max(self.min);
        T::nearest(match self.mode {
            Mode::MinCombined if least < 0.0 => ((clamped - self.min) * self.scale - half_range::<T>() as f32).round().into(),
            Mode::MinCombined => f64::from((clamped - self.min) * self.scale + 0.5).floor(),
            Mode::MinFirst => {
                let scale = 1.0 / step::<T>(self.min, self.max);
                let shift = (f64::from(self.min) * scale).round();
                ((f64::from(x) * scale).round() - shift + least).clamp(least, most)
            }
            Mode::Scaled if to_even => (clamped * self.scale).round_ties_even().into(),
            Mode::Scaled => (clamped * self.scale).round().into(),
        })
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (setting, attrs) = (Setting::of(ctx)?, &ctx.node.attrs);
    let to_even = attrs.str("round_mode")? == "HALF_TO_EVEN";
    if to_even && setting.mode != Mode::Scaled {
        return Err(invalid_argument("Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is not that"));
    }
    let least = attrs.float("ensure_minimum_range")?;
    let (x, mins, maxs) = (ctx.input(0)?, ctx.slice::<f32>(1)?, ctx.slice::<f32>(2)?);
    let ranges = mins.iter().zip(maxs).map(|(min, max)| widened(*min, *max, least)).collect::<Result<Vec<_>>>()?;
    let dtype = ctx.node.output_types[0].dtype;
    let values = x.as_slice::<f32>()?;
    let (out, kept) = dispatch!(storage(dtype)?, [i8, u8, i16, u16, i32] => T, {
        let quantisers: Vec<Quantiser> = ranges.iter().map(|r| Quantiser::of::<T>(&setting, *r)).collect();
        let out = Tensor::build(x.shape().clone(), |out: &mut [T]| {
            out.iter_mut().zip(values).enumerate().for_each(|(i, (o, x))| *o = quantisers[setting.slice_of(i)].quantised(*x, to_even));
            Ok(())
        })?;
        (out, quantisers)
    }, else { return Err(unsupported("QuantizeV2", dtype)) });
    let range = if attrs.int("axis")? < 0 { Shape::scalar() } else { Shape::from_lens(&[setting.slices])? };
    let low = Tensor::from_slice(range.clone(), &kept.iter().map(|q| q.min).collect::<Vec<_>>())?;
    let high = Tensor::from_slice(range, &kept.iter().map(|q| q.max).collect::<Vec<_>>())?;
    ctx.set_output(0, out.reinterpreted(dtype)?);
    ctx.set_output(1, low);
    ctx.set_output(2, high);
    Ok(())
}
