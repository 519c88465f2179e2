//! Windows of images, and the noise around the images (TF: `GlimpseExtractionOp`).

use crate::prelude::*;
use crate::random::distribution::RandomFloat;
use crate::random::philox_source::PhiloxSource;
use ferroflow_tensor::Philox;

/// What is seen where there is no image.
#[derive(Clone, Copy, PartialEq)]
enum Noise {
    /// Anything between the least and the greatest number of the image.
    Uniform,
    /// As the image's channel is distributed, within its bounds.
    Gaussian,
    Zero,
}

struct Glimpse {
    centered: bool,
    normalized: bool,
    noise: Noise,
    /// Whether an offset that is not both centred and normalised is the window's upper left corner.
    is_second: bool,
    source: PhiloxSource,
}

/// The kernel of both versions.
///
/// Errors: `InvalidArgument` for noise that there is not, or two kinds of it.
pub(super) fn build(c: &KernelConstruction, is_second: bool) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let (is_uniform, noise) = (attrs.bool("uniform_noise")?, attrs.str("noise")?);
    if is_uniform && !noise.is_empty() && noise != "uniform" {
        return Err(invalid_argument("The uniform_noise and noise could not be specified at the same time"));
    }
    let noise = match noise {
        "" if is_uniform => Noise::Uniform,
        "" | "gaussian" => Noise::Gaussian,
        "uniform" => Noise::Uniform,
        "zero" => Noise::Zero,
        other => return Err(invalid_argument(format!("The specified noise {other} is not supported."))),
    };
    // TF has no seed for it either.
    let source = PhiloxSource::new(0, 0);
    Ok(Box::new(Glimpse { centered: attrs.bool("centered")?, normalized: attrs.bool("normalized")?, noise, is_second, source }))
}

impl Glimpse {
    /// Where a window of `size` pixels begins that the offset asks for among `pixels`.
    fn start(&self, offset: f32, pixels: i64, size: i64) -> i64 {
        let (pixels, half) = (pixels as f32, size as f32 / 2.0);
        let at = if self.normalized { offset * pixels } else { offset };
        let at = match (self.is_second, self.centered, self.normalized) {
            (false, true, _) => at / 2.0 + pixels / 2.0 - half,
            (false, false, _) => at - half,
            (true, true, true) => at / 2.0 + pixels / 2.0 - half,
            (true, true, false) => at + pixels / 2.0,
            (true, false, _) => at,
        };
        // Numbers that are none are 0, others end at the integers' ends.
        at as i64
    }
}

/// What one image's noise is made of, per channel: least, greatest, mean and deviation.
struct Bounds {
    least: f32,
    greatest: f32,
    mean: f32,
    deviation: f32,
}

impl Bounds {
    fn of(numbers: impl Iterator<Item = f32> + Clone) -> Bounds {
        let n = numbers.clone().count().max(1) as f64;
        let mean = numbers.clone().map(f64::from).sum::<f64>() / n;
        let square = numbers.clone().map(|x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n;
        let least = numbers.clone().reduce(f32::min).unwrap_or(0.0);
        let greatest = numbers.reduce(f32::max).unwrap_or(0.0);
        Bounds { least, greatest, mean: mean as f32, deviation: square.sqrt() as f32 }
    }
}

/// Fills a glimpse with noise as of an image.
fn fill(noise: Noise, image: &[f32], channels: usize, generator: &mut Philox, out: &mut [f32]) {
    if noise == Noise::Zero || channels == 0 {
        out.fill(0.0);
        return;
    }
    let whole = [Bounds::of(image.iter().copied())];
    let each: Vec<Bounds> = (0..channels).map(|c| Bounds::of(image.iter().copied().skip(c).step_by(channels))).collect();
    let mut drawn: Vec<f32> = Vec::new();
    for (i, place) in out.iter_mut().enumerate() {
        if drawn.is_empty() {
            let words = generator.next_block();
            drawn.extend(if noise == Noise::Uniform { f32::uniform(words) } else { f32::normal(words) });
        }
        let x = drawn.pop().unwrap_or_default();
        *place = if noise == Noise::Uniform {
            let b = &whole[0];
            b.least + x * (b.greatest - b.least)
        } else {
            let b = &each[i % channels];
            (b.mean + x * b.deviation).min(b.greatest).max(b.least)
        };
    }
}

impl OpKernel for Glimpse {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let (input, size, offsets) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
        let &[batch, height, width, depth] = input.dims() else {
            return Err(invalid_argument(format!("input must be 4-dimensional (batch_size, height, width, depth), got {}", input.shape())));
        };
        let (&[rows, columns], 1) = (size.as_slice::<i32>()?, size.rank()) else {
            return Err(invalid_argument(format!("input must be a vector of size 2 (height, width), got {}", size.shape())));
        };
        if let Some(bad) = [rows, columns].iter().find(|n| **n < 0) {
            return Err(invalid_argument(format!("Expected a non-negative size, got {bad}")));
        }
        let &[count, pair] = offsets.dims() else {
            return Err(invalid_argument(format!("input must be a matrix, got {}", offsets.shape())));
        };
        if count != batch {
            return Err(invalid_argument(format!("first dimension should be batch, got {}", offsets.shape())));
        }
        if pair != 2 {
            return Err(invalid_argument(format!("second dimension should be of size 2 (y,x), got {}", offsets.shape())));
        }
        let (rows, columns) = (i64::from(rows), i64::from(columns));
        let shape = Shape::new(&[batch, rows, columns, depth])?;
        let (pixels, offsets) = (input.as_slice::<f32>()?, offsets.as_slice::<f32>()?);
        let (image_size, size) = ((height * width * depth) as usize, (rows * columns * depth) as usize);
        let mut generator = self.source.for_outputs(shape.num_elements());
        let glimpses = Tensor::build(shape, |out: &mut [f32]| {
            if size == 0 {
                return Ok(());
            }
            for (b, glimpse) in out.chunks_exact_mut(size).enumerate() {
                let image = &pixels[b * image_size..][..image_size];
                fill(self.noise, image, depth as usize, &mut generator, glimpse);
                let (top, left) = (self.start(offsets[2 * b], height, rows), self.start(offsets[2 * b + 1], width, columns));
                // The columns of the window that lie in the image.
                let first = left.saturating_neg().clamp(0, columns);
                let last = width.saturating_sub(left).clamp(0, columns);
                if first >= last {
                    continue;
                }
                for row in 0..rows {
                    let Some(y) = top.checked_add(row).filter(|y| (0..height).contains(y)) else { continue };
                    let from = ((y * width + left + first) * depth) as usize;
                    let to = ((row * columns + first) * depth) as usize;
                    let n = ((last - first) * depth) as usize;
                    glimpse[to..to + n].copy_from_slice(&image[from..from + n]);
                }
            }
            Ok(())
        })?;
        ctx.set_output(0, glimpses);
        Ok(())
    }
}

/// Batch and depth of the images, rows and columns as asked for.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let (x, offsets) = (c.with_rank(0, 4)?, c.with_rank(2, 2)?);
    if c.with_rank(1, 1)?.dim(0).is_some_and(|n| n != 2) {
        return Err(invalid_argument(format!("size must have two elements, not {}", c.input(1))));
    }
    if offsets.dim(1).is_some_and(|n| n != 2) {
        return Err(invalid_argument(format!("offsets must have two columns, not {offsets}")));
    }
    let batch = PartialShape::new(&[x.dim(0)]).merge(&PartialShape::new(&[offsets.dim(0)]))?;
    let size = c.constant(1).map(|t| t.to_i64s()).transpose()?;
    let of = |i: usize| size.as_ref().and_then(|s| s.get(i).copied()).filter(|d| *d >= 0);
    c.set_output(0, PartialShape::new(&[batch.dim(0), of(0), of(1), x.dim(3)]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::extract_glimpse;

    fn noise(kind: &str, x: &Tensor) -> Result<Tensor> {
        OpTester::new(&extract_glimpse::OP)
            .input(x.clone())
            .input(tensor(&[2], &[90i32, 90]))
            .input(tensor(&[1, 2], &[-9f32, -9.0]))
            .attr("uniform_noise", false)
            .attr("noise", kind)
            .run_one()
    }

    #[test]
    fn noise_lies_within_the_image_and_fills_its_range() {
        let x = tensor(&[1, 2, 2, 2], &[0f32, 100.0, 10.0, 110.0, 4.0, 104.0, 2.0, 102.0]);
        let y = noise("uniform", &x).unwrap();
        let y = y.as_slice::<f32>().unwrap();
        let mean = y.iter().sum::<f32>() / y.len() as f32;
        assert!(y.iter().all(|v| (0.0..=110.0).contains(v)) && (mean - 55.0).abs() < 3.0, "{mean}");
        let y = noise("gaussian", &x).unwrap();
        let first: Vec<f32> = y.as_slice::<f32>().unwrap().iter().copied().step_by(2).collect();
        let mean = first.iter().sum::<f32>() / first.len() as f32;
        // Those below 0 and above 10 have been cut.
        assert!(first.iter().all(|v| (0.0..=10.0).contains(v)) && (mean - 4.19).abs() < 0.3, "{mean}");
        assert_eq!(noise("pink", &x).unwrap_err().code(), Code::InvalidArgument);
    }
}
