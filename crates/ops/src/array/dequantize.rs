//! `Dequantize`: the numbers that integers of few bits stand for.

use super::quantization::{Mode, QUANTISED, Setting, Stored, half_range, limits, quantised_shape, step, storage};
use crate::prelude::*;
use ferroflow_tensor::dispatch;

pub const OP: OpSpec = OpSpec {
    signature: "Dequantize(input: T, min_range: float, max_range: float) -> (output: dtype)",
    attrs: "T: type in {qint8, quint8, qint32, qint16, quint16}; mode: string in {\"MIN_COMBINED\", \"MIN_FIRST\", \"SCALED\"} = \"MIN_COMBINED\"; narrow_range: bool = false; axis: int = -1; dtype: type in {bfloat16, float} = float",
    doc: "The number of each integer, of which the least stands for min_range and the largest for max_range.",
    shape: quantised_shape,
    kernels: &[Kernel::cpu(compute).on("T", QUANTISED)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// What an integer of a slice stands for.
fn number<T: Stored>(q: T, min: f32, max: f32, setting: &Setting) -> f32 {
    let (least, most) = limits::<T>(setting.mode == Mode::Scaled && setting.narrow);
    let q: f64 = q.as_();
    match setting.mode {
        Mode::MinCombined => {
            let scale = ((f64::from(max) - f64::from(min)) / (most - least)) as f32;
            (q + half_range::<T>()) as f32 * scale + min
        }
        Mode::MinFirst if min == max => min,
        Mode::MinFirst => {
            let step = step::<T>(min, max);
            ((f64::from(min) / step).round() * step + (q - least) * step) as f32
        }
        Mode::Scaled => {
            let above = max / most as f32;
            let scale = if least < 0.0 { (min / least as f32).max(above) } else { above };
            q as f32 * scale
        }
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let setting = Setting::of(ctx)?;
    let (x, mins, maxs) = (ctx.input(0)?.clone(), ctx.slice::<f32>(1)?, ctx.slice::<f32>(2)?);
    let kind = storage(x.dtype())?;
    let x = x.reinterpreted(kind)?;
    let numbers: Vec<f32> = dispatch!(kind, [i8, u8, i16, u16, i32] => T, {
        let of = |(i, q): (usize, &T)| number(*q, mins[setting.slice_of(i)], maxs[setting.slice_of(i)], &setting);
        x.as_slice::<T>()?.iter().enumerate().map(of).collect()
    }, else { return Err(unsupported("Dequantize", kind)) });
    let y = match ctx.node.output_types[0].dtype {
        DType::Float => Tensor::from_slice(x.shape().clone(), &numbers)?,
        DType::BFloat16 => Tensor::from_slice(x.shape().clone(), &numbers.into_iter().map(half::bf16::from_f32).collect::<Vec<_>>())?,
        other => return Err(unsupported("Dequantize", other)),
    };
    ctx.set_output(0, y);
    Ok(())
}
