//! Boxes drawn on images: what both versions of the op share.

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

/// The colours that boxes have in turn if none are given: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
const COLORS: [[f32; 4]; 10] = [
    [1.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0],
    [0.5, 0.0, 0.5, 1.0],
    [0.5, 0.5, 0.0, 1.0],
    [0.5, 0.0, 0.0, 1.0],
    [0.0, 0.0, 0.5, 1.0],
    [0.0, 1.0, 1.0, 1.0],
    [1.0, 0.0, 1.0, 1.0],
];

/// One side of a box along an axis: the first and the last place, and which of them lie in the image.
struct Extent {
    first: i64,
    last: i64,
    size: i64,
}

impl Extent {
    /// Of a box from `from` to `to`; `None` if nothing of it can be seen.
    fn of(from: f32, to: f32, size: i64) -> Option<Extent> {
        let place = |x: f32| (x * (size - 1) as f32) as i64;
        let e = Extent { first: place(from), last: place(to), size };
        (e.first <= e.last && e.first < size && e.last >= 0).then_some(e)
    }

    /// The places in the image.
    fn seen(&self) -> std::ops::RangeInclusive<usize> {
        self.first.max(0) as usize..=self.last.min(self.size - 1) as usize
    }

    /// The ends that lie in the image.
    fn ends(&self) -> impl Iterator<Item = usize> {
        [self.first, self.last].into_iter().filter(|p| (0..self.size).contains(p)).map(|p| p as usize)
    }
}

fn drawn<T: Element>(images: &Tensor, boxes: &Tensor, colors: &[Vec<f32>]) -> Result<Tensor>
where
    f32: AsPrimitive<T>,
{
    let &[_, height, width, depth] = images.dims() else { return Err(invalid_argument("the rank of images has been checked")) };
    let count = boxes.shape().dim(1);
    let edges = boxes.as_slice::<f32>()?;
    let (width_, depth_) = (width as usize, depth as usize);
    let size = (height * width * depth) as usize;
    let mut out = images.deep_copy()?;
    let pixels = out.as_mut_slice::<T>()?;
    if size == 0 || count == 0 {
        return Ok(out);
    }
    for (image, edges) in pixels.chunks_exact_mut(size).zip(edges.chunks_exact(count * 4)) {
        for (edge, color) in edges.chunks_exact(4).zip(colors.iter().cycle()) {
            let (Some(rows), Some(columns)) = (Extent::of(edge[0], edge[2], height), Extent::of(edge[1], edge[3], width)) else { continue };
            let mut paint = |y: usize, x: usize| {
                let pixel = &mut image[(y * width_ + x) * depth_..][..depth_];
                pixel.iter_mut().zip(color).for_each(|(p, c)| *p = c.as_());
            };
            rows.ends().for_each(|y| columns.seen().for_each(|x| paint(y, x)));
            columns.ends().for_each(|x| rows.seen().for_each(|y| paint(y, x)));
        }
    }
    Ok(out)
}

/// The kernel of both versions; `colors` is the input that has them.
///
/// Errors: `InvalidArgument` for inputs of other shapes.
pub(super) fn draw(ctx: &mut OpKernelContext, colors: Option<usize>) -> Result<()> {
    let (images, boxes) = (ctx.input(0)?, ctx.input(1)?);
    let &[batch, .., depth] = images.dims() else { return Err(invalid_argument("The rank of the images should be 4")) };
    if images.rank() != 4 {
        return Err(invalid_argument("The rank of the images should be 4"));
    }
    if boxes.rank() != 3 {
        return Err(invalid_argument(format!("The rank of the boxes tensor should be 3, got shape {}", boxes.shape())));
    }
    if boxes.dims()[0] != batch {
        return Err(invalid_argument("The batch sizes should be the same"));
    }
    if ![1, 3, 4].contains(&depth) {
        return Err(invalid_argument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"));
    }
    if boxes.dims()[2] != 4 {
        return Err(invalid_argument(format!("The boxes must have 4 coordinates, got shape {}", boxes.shape())));
    }
    let mut palette: Vec<Vec<f32>> = Vec::new();
    if let Some(i) = colors {
        let given = ctx.input(i)?;
        if given.rank() != 2 {
            return Err(invalid_argument(format!("colors must be a 2-D matrix with color map, got shape {}", given.shape())));
        }
        let per_color = given.shape().dim(1);
        if (per_color as i64) < depth {
            return Err(invalid_argument(format!("colors must have equal or more channels than the image provided: {}", given.shape())));
        }
        if given.num_elements() > 0 {
            palette.extend(given.as_slice::<f32>()?.chunks_exact(per_color).map(<[f32]>::to_vec));
        }
    }
    if palette.is_empty() {
        // In gray all are white.
        palette.extend(COLORS.map(|c| if depth == 1 { vec![1.0] } else { c.to_vec() }));
    }
    let y = with_float!(images.dtype() => T, { drawn::<T>(images, boxes, &palette)? }, else { return Err(unsupported(ctx.node.op_name(), images.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of the images.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let images = c.with_rank(0, 4)?;
    if c.with_rank(1, 3)?.dim(2).is_some_and(|n| n != 4) {
        return Err(invalid_argument(format!("boxes must have 4 coordinates, not {}", c.input(1))));
    }
    c.set_output(0, images);
    Ok(())
}
