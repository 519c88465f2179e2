//! Samples that are drawn until one is accepted, bit for bit as TF's kernels draw them: gamma and Poisson.

use super::distribution::RandomFloat;
use super::philox_source::PhiloxSource;
use super::shape_argument::requested_shape;
use crate::prelude::*;
use ferroflow_math::for_each_part;
use ferroflow_tensor::Philox;

/// Blocks reserved for one output.
const RESERVED: u128 = 256;

/// Numbers of blocks that are used from the last to the first.
struct Drawn {
    make: fn([u32; 4]) -> [f64; 4],
    /// A block makes two, which come first.
    numbers: [f64; 4],
    left: usize,
}

impl Drawn {
    fn new(make: fn([u32; 4]) -> [f64; 4]) -> Drawn {
        Drawn { make, numbers: [0.0; 4], left: 0 }
    }

    /// Normal doubles, two of a block.
    fn normal() -> Drawn {
        Drawn::new(f64::normal)
    }

    /// Uniform doubles, two of a block.
    fn uniform() -> Drawn {
        Drawn::new(f64::uniform)
    }

    fn next(&mut self, generator: &mut Philox) -> f64 {
        if self.left == 0 {
            (self.numbers, self.left) = ((self.make)(generator.next_block()), 2);
        }
        self.left -= 1;
        self.numbers[self.left]
    }
}

/// A sample of the gamma distribution (Marsaglia and Tsang).
pub(super) fn gamma(alpha: f64, generator: &mut Philox) -> f64 {
    let (mut normal, mut uniform) = (Drawn::normal(), Drawn::uniform());
    if alpha == 1.0 {
        return -(-uniform.next(generator)).ln_1p();
    }
    // NaN would never be accepted.
    if alpha <= 0.0 || !alpha.is_finite() {
        return f64::NAN;
    }
    let d = if alpha < 1.0 { alpha + 1.0 } else { alpha } - 1.0 / 3.0;
    let c = 1.0 / 3.0 / d.sqrt();
    loop {
        let x = normal.next(generator);
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u = uniform.next(generator);
        let square = x * x;
        if u < 1.0 - 0.0331 * square * square || u.ln() < 0.5 * square + d * (1.0 - v + v.ln()) {
            let value = d * v;
            return if alpha < 1.0 { value * uniform.next(generator).powf(1.0 / alpha) } else { value };
        }
    }
}

/// A sample of the Poisson distribution: by products of uniform numbers for small rates, else by Hörmann's transformed rejection.
/// Those above `most` are drawn again.
pub(super) fn poisson(rate: f64, most: f64, generator: &mut Philox) -> f64 {
    /// No sample takes more tries, unless all of them lie above `most`.
    const TRIES: usize = 100_000;
    if !rate.is_finite() || rate < 0.0 {
        return f64::NAN;
    }
    let mut uniform = Drawn::uniform();
    if rate < 10.0 {
        let limit = (-rate).exp();
        let (mut product, mut x) = (1.0, 0.0);
        loop {
            product *= uniform.next(generator);
            if product <= limit || x >= most {
                return x;
            }
            x += 1.0;
        }
    }
    let log_rate = rate.ln();
    let b = 0.931 + 2.53 * rate.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    for _ in 0..TRIES {
        let u = uniform.next(generator) - 0.5;
        let v = uniform.next(generator);
        let shifted = 0.5 - u.abs();
        let k = ((2.0 * a / shifted + b) * u + rate + 0.43).floor();
        if k > most {
            continue;
        }
        if shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0) {
            return k;
        }
        if k < 0.0 || (shifted < 0.013 && v > shifted) {
            continue;
        }
        let s = (v * inverse_alpha / (a / (shifted * shifted) + b)).ln();
        if s <= -rate + k * log_rate - libm::lgamma(k + 1.0) {
            return k;
        }
    }
    most
}

/// Samples for each of the parameters at input 1, in the shape of input 0 and behind it that of the parameters.
///
/// Errors: `InvalidArgument` for a shape that is none.
pub(super) fn samples(
    ctx: &OpKernelContext,
    source: &PhiloxSource,
    one: impl Fn(f64, &mut Philox) -> f64 + Sync,
) -> Result<(Shape, Vec<f64>)> {
    let parameters = ctx.input(1)?;
    let outer = requested_shape(ctx, 0)?;
    let shape = Shape::new(&[outer.dims(), parameters.dims()].concat())?;
    let values: Vec<f64> = ferroflow_tensor::dispatch!(
        parameters.dtype(), [half::f16, f32, f64, i32, i64] => T,
        { parameters.as_slice::<T>()?.iter().map(|&x| num_traits::AsPrimitive::<f64>::as_(x)).collect() },
        else { return Err(unsupported(ctx.node.op_name(), parameters.dtype())) }
    );
    let mut out = crate::sparse::coo::filled(shape.num_elements(), 0f64)?;
    if out.is_empty() {
        return Ok((shape, out));
    }
    let generator = source.for_outputs(out.len());
    let (rows, width) = (outer.num_elements(), values.len());
    let pool = crate::parallel::pool(ctx.step);
    for_each_part(&pool, &mut out, rows, 256 / width.max(1) + 1, &|range, part| {
        for (row, places) in range.zip(part.chunks_exact_mut(width)) {
            for (k, (place, value)) in places.iter_mut().zip(&values).enumerate() {
                // TF counts all samples of one parameter before those of the next.
                *place = one(*value, &mut generator.skipped(RESERVED * (k * rows + row) as u128));
            }
        }
    });
    Ok((shape, out))
}

/// The shape at input 0, and behind it that of the parameters at input 1.
///
/// Errors: `InvalidArgument` if input 0 is constant and no shape.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let (outer, inner) = (c.input_as_shape(0)?, c.input(1));
    let both = outer.dims().zip(inner.dims()).map(|(a, b)| PartialShape::new(&[a, b].concat()));
    c.set_output(0, both.unwrap_or_else(PartialShape::unknown));
    Ok(())
}
