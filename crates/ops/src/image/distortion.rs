//! A random part of an image: what the distorted-bounding-box ops share (TF: `sample_distorted_bounding_box_op`).
//!
//! The draws are TensorFlow's, so that equal seeds give equal crops.

use crate::prelude::*;
use crate::random::philox_source::{PhiloxSource, Words, stateless};
use ferroflow_tensor::Philox;

/// A part of an image in pixels: from the first on, up to the others.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Part {
    fn area(&self) -> f32 {
        if self.left < self.right && self.top < self.bottom {
            (i64::from(self.right - self.left) * i64::from(self.bottom - self.top)) as f32
        } else {
            0.0
        }
    }

    fn common(&self, other: &Part) -> Part {
        Part {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}

/// A number in [0, 1).
fn fraction(words: &mut Words) -> f32 {
    f32::from_bits(127 << 23 | words.draw() & 0x7f_ffff) - 1.0
}

/// A number below `n`; words that would make some likelier are drawn again.
fn below(words: &mut Words, n: i32) -> i32 {
    let n = n.max(1) as u32;
    if n.is_power_of_two() {
        return (words.draw() & (n - 1)) as i32;
    }
    let rejected = u32::MAX % n + 1;
    loop {
        let word = words.draw();
        if word >= rejected {
            return (word % n) as i32;
        }
    }
}

/// To the nearest whole number, of two the even one.
fn rounded(x: f32) -> i32 {
    x.round_ties_even() as i32
}

/// What a node asks for.
struct Limits {
    aspects: [f32; 2],
    areas: [f32; 2],
    attempts: usize,
    whole_if_none: bool,
}

impl Limits {
    fn of(attrs: &AttrMap) -> Result<Limits> {
        let pair = |name: &str| match attrs.floats(name)? {
            &[low, high] => Ok([low, high]),
            other => Err(invalid_argument(format!("{name} field must specify 2 dimensions, got {}", other.len()))),
        };
        let (aspects, areas) = (pair("aspect_ratio_range")?, pair("area_range")?);
        if !(aspects[0] > 0.0 && aspects[1] > 0.0) {
            return Err(invalid_argument(format!("aspect_ratio_range must be non-negative: {aspects:?}")));
        }
        if !(areas[0] > 0.0 && areas[1] > 0.0 && areas[0] <= 1.0 && areas[1] <= 1.0) {
            return Err(invalid_argument(format!("area_range must be in (0.0, 1.0]: {areas:?}")));
        }
        let attempts = attrs.int("max_attempts")?;
        let attempts = usize::try_from(attempts).ok().filter(|n| (1..1 << 31).contains(n));
        let attempts = attempts.ok_or_else(|| invalid_argument("max_attempts must be positive"))?;
        Ok(Limits { aspects, areas, attempts, whole_if_none: attrs.bool("use_image_if_no_bounding_boxes")? })
    }

    /// A random part of this shape, if there is one within the limits.
    fn draw(&self, [height, width]: [i32; 2], words: &mut Words) -> Option<Part> {
        let aspect = fraction(words) * (self.aspects[1] - self.aspects[0]) + self.aspects[0];
        let [least, most] = self.areas.map(|share| share * width as f32 * height as f32);
        if self.areas[0] > self.areas[1] || aspect <= 0.0 || height <= 0 || width <= 0 {
            return None;
        }
        let wide = |tall: i32| rounded(tall as f32 * aspect);
        let (mut tall, mut tallest) = (rounded((least / aspect).sqrt()), rounded((most / aspect).sqrt()));
        if wide(tallest) > width {
            // Just below what would be rounded up.
            tallest = ((f64::from(width) + 0.5 - f64::from(0.000_000_1f32)) / f64::from(aspect)) as i32;
            if wide(tallest) > width {
                tallest -= 1;
            }
        }
        tallest = tallest.min(height);
        tall = tall.min(tallest);
        if tall < tallest {
            tall += below(words, tallest - tall + 1);
        }
        let area = |tall: i32| (i64::from(wide(tall)) * i64::from(tall)) as f32;
        if area(tall) < least {
            tall += 1;
        }
        if area(tall) > most {
            tall -= 1;
        }
        let (broad, size) = (wide(tall), area(tall));
        if size < least || size > most || broad > width || tall > height || broad <= 0 || tall <= 0 {
            return None;
        }
        let top = if tall < height { below(words, height - tall) } else { 0 };
        let left = if broad < width { below(words, width - broad) } else { 0 };
        Some(Part { left, top, right: left + broad, bottom: top + tall })
    }

    /// A part that shows as much as `covered` of one of the objects; the whole image if none is found.
    fn choose(&self, size: [i32; 2], objects: &[Part], covered: f32, generator: Philox) -> Part {
        let mut words = Words::new(generator);
        let shows =
            |part: &Part| part.area() >= 1.0 && objects.iter().any(|o| o.area() >= 1.0 && part.common(o).area() / o.area() >= covered);
        let found = (0..self.attempts).find_map(|_| self.draw(size, &mut words).filter(shows));
        found.unwrap_or(Part { left: 0, top: 0, right: size[1], bottom: size[0] })
    }
}

/// Where the generator comes from.
enum Source {
    Kept(PhiloxSource),
    /// Of the seed in the last input.
    Seeded,
}

struct Distortion {
    limits: Limits,
    source: Source,
}

/// The kernel of a node that keeps its generator.
///
/// Errors: `InvalidArgument` for attributes out of range.
pub(super) fn kept(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    if attrs.contains("min_object_covered") {
        check_covered(attrs.float("min_object_covered")?)?;
    }
    Ok(Box::new(Distortion { limits: Limits::of(attrs)?, source: Source::Kept(PhiloxSource::of_node(c)?) }))
}

/// The kernel of a node that is told its seed.
///
/// Errors: `InvalidArgument` for attributes out of range.
pub(super) fn seeded(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(Distortion { limits: Limits::of(&c.node.attrs)?, source: Source::Seeded }))
}

fn check_covered(share: f32) -> Result<f32> {
    if share.is_nan() || share < 0.0 {
        return Err(invalid_argument(format!("Min object covered must be non-negative: {share}")));
    }
    Ok(share)
}

/// The objects that input 1 shows, in an image of this size.
fn objects(boxes: &Tensor, [height, width]: [i32; 2]) -> Result<Vec<Part>> {
    if !matches!(boxes.dims(), [_, _, 4]) {
        return Err(invalid_argument(format!(
            "input boxes must be 3-dimensional [batch, num_boxes, coords] with 4 coords each, got shape {}",
            boxes.shape()
        )));
    }
    let edges = boxes.as_slice::<f32>()?;
    if let Some(bad) = edges.iter().find(|x| !(0.0..=1.0).contains(*x)) {
        return Err(invalid_argument(format!("All bounding box coordinates must be in [0.0, 1.0]: {bad}")));
    }
    let along = |share: f32, size: i32| (share * size as f32) as i32;
    let part =
        |e: &[f32]| Part { left: along(e[1], width), top: along(e[0], height), right: along(e[3], width), bottom: along(e[2], height) };
    Ok(edges.chunks_exact(4).map(part).collect())
}

impl OpKernel for Distortion {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let (size, boxes) = (ctx.input(0)?, ctx.input(1)?);
        if size.dims() != [3] {
            return Err(invalid_argument(format!("image_size must be 1-dimensional with 3 elements, got shape {}", size.shape())));
        }
        let dtype = size.dtype();
        let sides: Vec<i64> = with_integer!(dtype => T, { size.as_slice::<T>()?.iter().map(|&n| num_traits::AsPrimitive::<i64>::as_(n)).collect() }, else { return Err(unsupported("SampleDistortedBoundingBox", dtype)) });
        let side = |i: usize| sides.get(i).and_then(|&n| i32::try_from(n).ok()).filter(|n| *n >= 0);
        let (Some(height), Some(width)) = (side(0), side(1)) else {
            return Err(invalid_argument(format!("image height and width must not be negative, got {sides:?}")));
        };
        let mut objects = objects(boxes, [height, width])?;
        if objects.is_empty() {
            if !self.limits.whole_if_none {
                return Err(invalid_argument(
                    "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes.",
                ));
            }
            objects.push(Part { left: 0, top: 0, right: width, bottom: height });
        }
        let attrs = &ctx.node.attrs;
        let covered = if attrs.contains("min_object_covered") {
            attrs.float("min_object_covered")?
        } else {
            let t = ctx.input(2)?;
            match t.as_slice::<f32>()? {
                [share] if t.rank() == 0 => check_covered(*share)?,
                _ => return Err(invalid_argument(format!("min_object_covered must be 0-D, got shape {}", t.shape()))),
            }
        };
        let generator = match &self.source {
            Source::Kept(source) => source.reserve(self.limits.attempts as u128),
            Source::Seeded => match ctx.input(3)?.to_i64s()?[..] {
                [a, b] => stateless([a, b]),
                _ => return Err(invalid_argument(format!("seed must have shape [2], not {}", ctx.input(3)?.shape()))),
            },
        };
        let part = self.limits.choose([height, width], &objects, covered, generator);
        let three = |x: [i64; 3]| -> Result<Tensor> {
            with_integer!(dtype => T, { Tensor::vector(&x.map(|v| v as T)) }, else { Err(unsupported("SampleDistortedBoundingBox", dtype)) })
        };
        let begin = three([i64::from(part.top), i64::from(part.left), 0])?;
        let extent = three([i64::from(part.bottom - part.top), i64::from(part.right - part.left), -1])?;
        let (h, w) = (height as f32, width as f32);
        let shares = [part.top as f32 / h, part.left as f32 / w, part.bottom as f32 / h, part.right as f32 / w];
        ctx.set_output(0, begin);
        ctx.set_output(1, extent);
        ctx.set_output(2, Tensor::from_slice(Shape::new(&[1, 1, 4])?, &shares)?);
        Ok(())
    }
}

/// The shapes of the crop.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    if c.with_rank(0, 1)?.dim(0).is_some_and(|n| n != 3) {
        return Err(invalid_argument(format!("image_size must have 3 elements, not {}", c.input(0))));
    }
    if c.with_rank(1, 3)?.dim(2).is_some_and(|n| n != 4) {
        return Err(invalid_argument(format!("boxes must have 4 coordinates, not {}", c.input(1))));
    }
    c.set_output(0, PartialShape::new(&[Some(3)]));
    c.set_output(1, PartialShape::new(&[Some(3)]));
    c.set_output(2, PartialShape::new(&[Some(1), Some(1), Some(4)]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_areas_and_common_parts() {
        let a = Part { left: 0, top: 0, right: 4, bottom: 2 };
        let b = Part { left: 2, top: 1, right: 9, bottom: 9 };
        assert_eq!(a.common(&b), Part { left: 2, top: 1, right: 4, bottom: 2 });
        assert_eq!((a.area(), a.common(&b).area()), (8.0, 2.0));
        assert_eq!(Part { left: 3, top: 0, right: 1, bottom: 2 }.area(), 0.0);
    }
}
