//! How a window slides over volumes [batch, planes, rows, columns, depth]: what convolutions and pools of three dimensions share.

use crate::prelude::*;
use ferroflow_tensor::Element;

/// Most elements of an array that is made on the way.
const MOST: usize = 1 << 36;

/// A window over volumes.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    pub(crate) batch: usize,
    /// Planes, rows and columns.
    pub(crate) image: [usize; 3],
    pub(crate) depth: usize,
    pub(crate) size: [usize; 3],
    pub(crate) out: [usize; 3],
    stride: [usize; 3],
    dilation: [usize; 3],
    pad: [usize; 3],
}

/// The middle three of a list of five whose ends are 1.
fn spatial(attrs: &AttrMap, name: &str) -> Result<[usize; 3]> {
    let all = attrs.ints(name)?;
    let [1, a, b, c, 1] = *all else {
        return Err(invalid_argument(format!("{name} must be five numbers, the first and the last of them 1, got {all:?}")));
    };
    let positive = |x: i64| usize::try_from(x).ok().filter(|x| (1..1 << 31).contains(x));
    match (positive(a), positive(b), positive(c)) {
        (Some(a), Some(b), Some(c)) => Ok([a, b, c]),
        _ => Err(invalid_argument(format!("{name} must be positive, got {all:?}"))),
    }
}

/// The size of a pool's window (`ksize`) or a patch (`ksizes`).
///
/// Errors: `InvalidArgument` for sizes below 1 and windows over batch or depth.
pub(crate) fn window_size(attrs: &AttrMap, name: &str) -> Result<[usize; 3]> {
    spatial(attrs, name)
}

/// Length of the result, and padding in front.
fn along(image: usize, size: usize, stride: usize, dilation: usize, same: bool) -> Result<(usize, usize)> {
    let reach = size.saturating_sub(1).saturating_mul(dilation).saturating_add(1);
    if same {
        let out = image.div_ceil(stride);
        return Ok((out, (out.saturating_sub(1) * stride).saturating_add(reach).saturating_sub(image) / 2));
    }
    match (image + stride).checked_sub(reach) {
        Some(room) => Ok((room / stride, 0)),
        None => Err(invalid_argument(format!("a window of {reach} is larger than the volume, {image}"))),
    }
}

impl Volume {
    /// The window of this size over volumes of this shape, as a node's attributes say.
    ///
    /// Errors: `InvalidArgument` for what does not fit; `Unimplemented` for channels that do not come last.
    pub(crate) fn of(attrs: &AttrMap, shape: &Shape, size: [usize; 3]) -> Result<Volume> {
        let &[batch, planes, rows, columns, depth] = shape.dims() else {
            return Err(invalid_argument(format!("input must be 5-dimensional, got shape {shape}")));
        };
        if attrs.contains("data_format") && attrs.str("data_format")? != "NDHWC" {
            return Err(unimplemented(format!("volumes in {} have no CPU kernel, only in NDHWC", attrs.str("data_format")?)));
        }
        let same = match attrs.str("padding")? {
            "SAME" => true,
            "VALID" => false,
            other => return Err(invalid_argument(format!("there is no padding {other}"))),
        };
        let stride = spatial(attrs, "strides")?;
        let dilation = if attrs.contains("dilations") { spatial(attrs, "dilations")? } else { [1; 3] };
        let image = [planes as usize, rows as usize, columns as usize];
        let (mut out, mut pad) = ([0; 3], [0; 3]);
        for i in 0..3 {
            (out[i], pad[i]) = along(image[i], size[i], stride[i], dilation[i], same)?;
        }
        Ok(Volume { batch: batch as usize, image, depth: depth as usize, size, out, stride, dilation, pad })
    }

    /// The shape of a result of this depth.
    ///
    /// Errors: `InvalidArgument` if it is too large.
    pub(crate) fn result(&self, depth: usize) -> Result<Shape> {
        Shape::from_lens(&[self.batch, self.out[0], self.out[1], self.out[2], depth])
    }

    /// How many places the window has in one volume.
    pub(crate) fn places(&self) -> usize {
        self.out.iter().product()
    }

    /// How many pixels the window covers.
    pub(crate) fn covered(&self) -> usize {
        self.size.iter().product()
    }

    /// The pixels of one volume under the window at this place, and which of the window each is.
    pub(crate) fn under(&self, place: usize, mut visit: impl FnMut(usize, usize)) {
        let at = [place / (self.out[1] * self.out[2]), place / self.out[2] % self.out[1], place % self.out[2]];
        let pixel = |axis: usize, i: usize| -> Option<usize> {
            (at[axis] * self.stride[axis] + i * self.dilation[axis]).checked_sub(self.pad[axis]).filter(|&p| p < self.image[axis])
        };
        for i in 0..self.size[0] {
            let Some(p) = pixel(0, i) else { continue };
            for j in 0..self.size[1] {
                let Some(r) = pixel(1, j) else { continue };
                for k in 0..self.size[2] {
                    let Some(c) = pixel(2, k) else { continue };
                    visit((p * self.image[1] + r) * self.image[2] + c, (i * self.size[1] + j) * self.size[2] + k);
                }
            }
        }
    }

    /// Elements of one volume, and of the result of one.
    pub(crate) fn elements(&self, depth: usize) -> (usize, usize) {
        (self.image.iter().product::<usize>() * self.depth, self.places() * depth)
    }

    /// What lies under the window at each place of a volume, one row each; 0 outside.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(crate) fn patches<T: Element>(&self, volume: &[T]) -> Result<Vec<T>> {
        let width = self.covered() * self.depth;
        let size = self.places().checked_mul(width).filter(|n| *n < MOST);
        let size = size.ok_or_else(|| ferroflow_tensor::error::resource_exhausted("the patches of a volume do not fit into memory"))?;
        let mut all = crate::sparse::coo::filled(size, T::default())?;
        for (place, row) in all.chunks_exact_mut(width.max(1)).enumerate() {
            self.under(place, |pixel, k| {
                row[k * self.depth..(k + 1) * self.depth].copy_from_slice(&volume[pixel * self.depth..(pixel + 1) * self.depth]);
            });
        }
        Ok(all)
    }
}

/// What is known of the shape of the result for input 0; `size` is that of the window and `depth` that of the result, if known.
///
/// Errors: `InvalidArgument` for inputs that are no volumes.
pub(crate) fn known_shape(c: &mut ShapeContext, size: Option<[usize; 3]>, depth: Option<i64>) -> Result<()> {
    let x = c.with_rank(0, 5)?;
    let (Some(size), Some(whole)) = (size, x.to_shape()) else {
        c.set_output(0, PartialShape::new(&[x.dim(0), None, None, None, depth]));
        return Ok(());
    };
    if let Ok(v) = Volume::of(&c.node().attrs, &whole, size) {
        let [a, b, d] = v.out.map(|n| Some(n as i64));
        c.set_output(0, PartialShape::new(&[x.dim(0), a, b, d, depth]));
    }
    Ok(())
}

/// The dimensions at input `i`, a vector of five.
///
/// Errors: `InvalidArgument` if they are none.
pub(crate) fn dims_at(ctx: &OpKernelContext, i: usize) -> Result<Shape> {
    let t = ctx.input(i)?;
    if t.rank() != 1 || t.num_elements() != 5 {
        return Err(invalid_argument(format!("the dimensions of a volume must be a vector of five, got shape {}", t.shape())));
    }
    Shape::new(&t.to_i64s()?)
}

/// A node of `op` with those attributes of `like` that say how the window slides.
pub(crate) fn like(like: &Operation, op: &str, inputs: impl IntoIterator<Item = Output>) -> Output {
    let attrs = like.with_attrs(|a| ["ksize", "strides", "padding", "data_format", "dilations"].map(|name| (name, a.get(name).cloned())));
    let node = like.graph().op(op).inputs(inputs);
    attrs.into_iter().filter_map(|(name, value)| Some((name, value?))).fold(node, |node, (name, value)| node.attr(name, value)).output()
}
