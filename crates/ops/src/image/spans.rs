//! Which pixels a scaled and moved image is made of, on each axis, by a choice of kernels (TF: `sampling_kernels.h`, `ComputeSpans`).

use crate::prelude::*;
use std::f32::consts::PI;

/// A function of the distance from a place, 0 from its radius on.
#[derive(Clone, Copy)]
pub(super) enum Sampling {
    Lanczos(f32),
    Gaussian,
    Box,
    Triangle,
    KeysCubic,
    MitchellCubic,
}

impl Sampling {
    /// The kernel that a node names.
    ///
    /// Errors: `InvalidArgument` if there is none of this name.
    pub(super) fn of(attrs: &AttrMap) -> Result<Sampling> {
        Ok(match attrs.str("kernel_type")? {
            "lanczos1" => Sampling::Lanczos(1.0),
            "lanczos3" => Sampling::Lanczos(3.0),
            "lanczos5" => Sampling::Lanczos(5.0),
            "gaussian" => Sampling::Gaussian,
            "box" => Sampling::Box,
            "triangle" => Sampling::Triangle,
            "keyscubic" => Sampling::KeysCubic,
            "mitchellcubic" => Sampling::MitchellCubic,
            other => return Err(invalid_argument(format!("Unrecognized kernel type: {other}"))),
        })
    }

    fn radius(self) -> f32 {
        match self {
            Sampling::Lanczos(radius) => radius,
            Sampling::Gaussian => 1.5,
            Sampling::Box => 0.5,
            Sampling::Triangle => 1.0,
            Sampling::KeysCubic | Sampling::MitchellCubic => 2.0,
        }
    }

    fn at(self, x: f32) -> f32 {
        let x = x.abs();
        match self {
            Sampling::Lanczos(radius) if x > radius => 0.0,
            Sampling::Lanczos(_) if x <= 1e-3 => 1.0,
            Sampling::Lanczos(radius) => radius * (PI * x).sin() * (PI * x / radius).sin() / (PI * PI * x * x),
            Sampling::Gaussian if x >= 1.5 => 0.0,
            // The deviation is a third of the radius.
            Sampling::Gaussian => (-x * x / (2.0 * 0.5 * 0.5)).exp(),
            Sampling::Box if x < 0.5 => 1.0,
            Sampling::Box if x == 0.5 => 0.5,
            Sampling::Box => 0.0,
            Sampling::Triangle => (1.0 - x).max(0.0),
            Sampling::KeysCubic if x >= 2.0 => 0.0,
            Sampling::KeysCubic if x >= 1.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
            Sampling::KeysCubic => (1.5 * x - 2.5) * x * x + 1.0,
            Sampling::MitchellCubic if x >= 2.0 => 0.0,
            Sampling::MitchellCubic if x >= 1.0 => ((-7.0 / 18.0 * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0,
            Sampling::MitchellCubic => (7.0 / 6.0 * x - 2.0) * x * x + 8.0 / 9.0,
        }
    }
}

/// Neighbouring pixels and their weights; none outside the image.
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) weights: Vec<f32>,
}

/// For each of `to` places the pixels among `from` that it is made of.
pub(super) fn spans(kernel: Sampling, antialias: bool, from: usize, to: usize, scale: f32, translate: f32) -> Vec<Span> {
    let inverse = 1.0 / scale;
    let inverse_translate = -inverse * translate;
    // Shrunk images are smoothed over all pixels that fall together.
    let stretch = if antialias { inverse.max(1.0) } else { 1.0 };
    let last = from.saturating_sub(1) as f32;
    let span = |i: usize| {
        let sample = (i as f32 + 0.5) * inverse + inverse_translate;
        if !(0.0..=from as f32).contains(&sample) {
            return Span { start: 0, weights: Vec::new() };
        }
        let reach = kernel.radius() * stretch;
        let start = (sample - reach - 0.5).ceil().clamp(0.0, last) as usize;
        let end = (sample + reach - 0.5).floor().clamp(0.0, last) as usize;
        let weight = |source: usize| kernel.at((source as f32 + 0.5 - sample) / stretch);
        let mut weights: Vec<f32> = (start..=end).map(weight).collect();
        let total: f32 = weights.iter().sum();
        if total.abs() >= 1000.0 * f32::MIN_POSITIVE {
            weights.iter_mut().for_each(|w| *w /= total);
        }
        Span { start, weights }
    };
    (0..to).map(span).collect()
}

/// Scales and translations of rows and columns, from inputs `i` and `i + 1`.
///
/// Errors: `InvalidArgument` if they are no vectors of two, or a scale is not positive.
pub(super) fn transform(ctx: &OpKernelContext, i: usize) -> Result<[(f32, f32); 2]> {
    let pair = |i: usize, name: &str| -> Result<[f32; 2]> {
        let t = ctx.input(i)?;
        match t.as_slice::<f32>()? {
            &[row, column] if t.rank() == 1 => Ok([row, column]),
            _ => Err(invalid_argument(format!("{name} must be a vector of two elements, got shape {}", t.shape()))),
        }
    };
    let (scale, translation) = (pair(i, "scale")?, pair(i + 1, "translation")?);
    if !scale.iter().all(|s| *s > 0.0) {
        return Err(invalid_argument(format!("Scale must be greater than zero, got {} and {}", scale[0], scale[1])));
    }
    Ok([(scale[0], translation[0]), (scale[1], translation[1])])
}
