//! Images seen from elsewhere: what both versions of `ImageProjectiveTransform` share (TF: `ProjectiveGenerator`).

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

/// What lies outside of the image.
#[derive(Clone, Copy)]
enum Outside {
    /// A number.
    Constant,
    /// The image in a mirror at its edge.
    Reflect,
    /// The image again.
    Wrap,
    /// The edge.
    Nearest,
}

impl Outside {
    fn of(attrs: &AttrMap) -> Result<Outside> {
        Ok(match attrs.str("fill_mode")? {
            "CONSTANT" => Outside::Constant,
            "REFLECT" => Outside::Reflect,
            "WRAP" => Outside::Wrap,
            "NEAREST" => Outside::Nearest,
            other => return Err(invalid_argument(format!("Invalid mode {other}. Supported types: CONSTANT, REFLECT, WRAP, NEAREST"))),
        })
    }

    /// The place in an image of this size that stands for `at`.
    fn place(self, at: f32, size: usize) -> f32 {
        let (n, last) = (size as f32, (size - 1) as f32);
        let inside = |x: f32| x.clamp(0.0, last);
        let whole = |x: f32| x.trunc();
        match self {
            Outside::Constant => at,
            Outside::Nearest => inside(at),
            _ if size <= 1 && (at < 0.0 || at > last) => 0.0,
            Outside::Reflect => {
                let turn = 2.0 * n;
                if at < 0.0 {
                    let x = if at < turn { turn * whole(-at / turn) + at } else { at };
                    inside(if x < -n { x + turn } else { -x - 1.0 })
                } else if at > last {
                    let x = at - turn * whole(at / turn);
                    inside(if x >= n { turn - x - 1.0 } else { x })
                } else {
                    at
                }
            }
            Outside::Wrap => {
                if at < 0.0 {
                    inside(at + n * (whole(-at / last) + 1.0))
                } else if at > last {
                    inside(at - n * whole(at / last))
                } else {
                    at
                }
            }
        }
    }
}

/// The images, seen through the transforms.
struct View<'a, T> {
    x: &'a [T],
    size: [usize; 2],
    depth: usize,
    outside: Outside,
    fill: T,
    bilinear: bool,
}

impl<T: Element + AsPrimitive<f32>> View<'_, T>
where
    f32: AsPrimitive<T>,
{
    fn at(&self, image: usize, y: f32, x: f32, d: usize) -> T {
        let [height, width] = self.size;
        if y >= 0.0 && y < height as f32 && x >= 0.0 && x < width as f32 {
            self.x[((image * height + y as usize) * width + x as usize) * self.depth + d]
        } else {
            self.fill
        }
    }

    fn seen(&self, image: usize, y: f32, x: f32, d: usize) -> T {
        if !self.bilinear {
            return self.at(image, y.round(), x.round(), d);
        }
        let (top, left) = (y.floor(), x.floor());
        let (bottom, right) = (top + 1.0, left + 1.0);
        let number = |y: f32, x: f32| -> f32 { self.at(image, y, x, d).as_() };
        let upper = (right - x) * number(top, left) + (x - left) * number(top, right);
        let lower = (right - x) * number(bottom, left) + (x - left) * number(bottom, right);
        ((bottom - y) * upper + (y - top) * lower).as_()
    }

    fn transform(&self, matrix: &[f32], image: usize, columns: usize, out: &mut [T]) {
        let &[a0, a1, a2, b0, b1, b2, c0, c1] = matrix else { return };
        for (i, pixel) in out.chunks_exact_mut(self.depth).enumerate() {
            let (y, x) = ((i / columns) as f32, (i % columns) as f32);
            let projection = c0 * x + c1 * y + 1.0;
            if projection == 0.0 {
                pixel.fill(self.fill);
                continue;
            }
            let across = self.outside.place((a0 * x + a1 * y + a2) / projection, self.size[1]);
            let down = self.outside.place((b0 * x + b1 * y + b2) / projection, self.size[0]);
            pixel.iter_mut().enumerate().for_each(|(d, o)| *o = self.seen(image, down, across, d));
        }
    }
}

fn transformed<T: Element + AsPrimitive<f32>>(ctx: &OpKernelContext, size: [usize; 2], fill: f32) -> Result<Tensor>
where
    f32: AsPrimitive<T>,
{
    let (x, transforms, attrs) = (ctx.input(0)?, ctx.slice::<f32>(1)?, &ctx.node.attrs);
    let bilinear = match attrs.str("interpolation")? {
        "BILINEAR" => true,
        "NEAREST" => false,
        other => return Err(invalid_argument(format!("Invalid interpolation {other}. Supported types: NEAREST, BILINEAR"))),
    };
    let &[batch, height, width, depth] = x.dims() else { return Err(internal("the rank of the images has been checked")) };
    let (batch, depth) = (batch as usize, depth as usize);
    let view = View {
        x: x.as_slice::<T>()?,
        size: [height as usize, width as usize],
        depth,
        outside: Outside::of(attrs)?,
        fill: fill.as_(),
        bilinear,
    };
    Tensor::build(Shape::from_lens(&[batch, size[0], size[1], depth])?, |out: &mut [T]| {
        if out.is_empty() {
            return Ok(());
        }
        if height == 0 || width == 0 {
            return Err(invalid_argument(format!("images must not be empty, got shape {}", x.shape())));
        }
        for (image, out) in out.chunks_exact_mut(size[0] * size[1] * depth).enumerate() {
            let matrix = if transforms.len() == 8 { transforms } else { &transforms[image * 8..][..8] };
            view.transform(matrix, image, size[1], out);
        }
        Ok(())
    })
}

/// The kernel of both versions; `fill` is the input that says what is outside.
///
/// Errors: `InvalidArgument` for inputs that do not fit.
pub(super) fn compute(ctx: &mut OpKernelContext, fill: Option<usize>) -> Result<()> {
    let (x, transforms) = (ctx.input(0)?, ctx.input(1)?);
    if x.rank() != 4 {
        return Err(invalid_argument("Input images must have rank 4"));
    }
    match *transforms.dims() {
        [n, 8] if n == x.dims()[0] || n == 1 => {}
        _ => return Err(invalid_argument("Input transform should be num_images x 8 or 1 x 8")),
    }
    let size = super::resizing::size(ctx, 2)?;
    let fill = fill.map_or(Ok(0.0), |i| ctx.scalar::<f32>(i, "fill_value"))?;
    let dtype = x.dtype();
    let y = with_real!(dtype => T, { transformed::<T>(ctx, size, fill)? }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of the images, with the rows and columns of input 2.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 4)?;
    c.with_rank(1, 2)?;
    if c.with_rank(2, 1)?.dim(0).is_some_and(|n| n != 2) {
        return Err(invalid_argument(format!("output_shape must have two elements, not {}", c.input(2))));
    }
    let size = c.constant(2).map(|t| t.to_i64s()).transpose()?;
    let of = |i: usize| size.as_ref().and_then(|s| s.get(i).copied()).filter(|d| *d >= 0);
    c.set_output(0, PartialShape::new(&[x.dim(0), of(0), of(1), x.dim(3)]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_found_inside() {
        let places = |o: Outside| [-1.0, -4.0, 3.0, 5.0, 7.0].map(|x| o.place(x, 3));
        assert_eq!(places(Outside::Nearest), [0.0, 0.0, 2.0, 2.0, 2.0]);
        assert_eq!(places(Outside::Reflect), [0.0, 2.0, 2.0, 0.0, 1.0]);
        assert_eq!(Outside::Wrap.place(-1.0, 3), 2.0);
        assert_eq!(Outside::Wrap.place(3.0, 3), 0.0);
    }
}
