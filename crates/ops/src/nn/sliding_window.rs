//! How a window slides over images, from the attributes of convolutions and pools (TF: `GetWindowedOutputSizeVerbose`, `Conv2DDimensions`).

use crate::prelude::*;
use ferroflow_math::Window;

/// What lies around an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Padding {
    /// As much as makes the result as large as the image, divided by the stride.
    Same,
    /// Nothing.
    Valid,
    /// Before and behind, for rows and columns.
    Explicit([[usize; 2]; 2]),
}

/// Strides, dilations and padding along rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sliding {
    stride: [usize; 2],
    dilation: [usize; 2],
    padding: Padding,
}

/// Rows and columns of a list with an element for each of the four dimensions; the others must be 1.
fn spatial(attrs: &AttrMap, name: &str) -> Result<[usize; 2]> {
    let all = attrs.ints(name)?;
    let [n, rows, cols, depth] = all else {
        return Err(invalid_argument(format!("Sliding window {name} field must specify 4 dimensions, got {}", all.len())));
    };
    if *n != 1 || *depth != 1 {
        return Err(unimplemented(format!("{name} of {all:?}: only rows and columns may have others than 1")));
    }
    let positive = |x: i64| usize::try_from(x).ok().filter(|&x| x > 0 && x < 1 << 31);
    match (positive(*rows), positive(*cols)) {
        (Some(rows), Some(cols)) => Ok([rows, cols]),
        _ => Err(invalid_argument(format!("{name} must be positive, got {all:?}"))),
    }
}

/// Rows and columns of a pool's window.
///
/// Errors: `InvalidArgument` for sizes below 1, `Unimplemented` for windows over batch or depth.
pub(crate) fn pool_size(attrs: &AttrMap) -> Result<[usize; 2]> {
    spatial(attrs, "ksize")
}

impl Sliding {
    /// What the attributes of a node say.
    ///
    /// Errors: `InvalidArgument` for values that make no sense; `Unimplemented` for channels that do not come last.
    pub(crate) fn of(attrs: &AttrMap) -> Result<Sliding> {
        let format = attrs.str("data_format")?;
        if format != "NHWC" {
            return Err(unimplemented(format!("images in {format} have no CPU kernel, only in NHWC")));
        }
        let explicit = if attrs.contains("explicit_paddings") { attrs.ints("explicit_paddings")? } else { &[] };
        let padding = match (attrs.str("padding")?, explicit) {
            ("SAME", []) => Padding::Same,
            ("VALID", []) => Padding::Valid,
            ("EXPLICIT", [0, 0, pads @ .., 0, 0]) if pads.len() == 4 && pads.iter().all(|p| (0..1 << 31).contains(p)) => {
                let at = |i: usize| pads[i] as usize;
                Padding::Explicit([[at(0), at(1)], [at(2), at(3)]])
            }
            (padding, pads) => {
                return Err(invalid_argument(format!("explicit_paddings {pads:?} do not go with padding {padding} of four dimensions")));
            }
        };
        let dilation = if attrs.contains("dilations") { spatial(attrs, "dilations")? } else { [1, 1] };
        Ok(Sliding { stride: spatial(attrs, "strides")?, dilation, padding })
    }

    /// Size of the result and padding in front, along one axis.
    ///
    /// Errors: `InvalidArgument` if the window is larger than the padded image.
    fn along(&self, axis: usize, image: usize, size: usize) -> Result<(usize, usize)> {
        let stride = self.stride[axis];
        let reach = size.saturating_sub(1).saturating_mul(self.dilation[axis]).saturating_add(1);
        let (before, behind) = match self.padding {
            Padding::Valid => (0, 0),
            Padding::Explicit(pads) => (pads[axis][0], pads[axis][1]),
            Padding::Same => {
                let out = image.div_ceil(stride);
                let missing = (out.saturating_sub(1) * stride).saturating_add(reach).saturating_sub(image);
                return Ok((out, missing / 2));
            }
        };
        let padded = image + before + behind;
        if padded + stride < reach {
            return Err(invalid_argument(format!(
                "Computed output size would be negative: {} [input_size: {image}, effective_filter_size: {reach}, stride: {stride}]",
                (padded as i64 + stride as i64 - reach.min(1 << 62) as i64) / stride as i64
            )));
        }
        Ok(((padded + stride - reach) / stride, before))
    }

    /// The window of this size over images [batch, rows, columns, depth].
    ///
    /// Errors: `InvalidArgument` if the window is larger than the padded image.
    pub(crate) fn window(&self, images: &Shape, size: [usize; 2]) -> Result<Window> {
        if images.rank() != 4 {
            return Err(invalid_argument(format!("input must be 4-dimensional: {images}")));
        }
        let image = [images.dim(1), images.dim(2)];
        let (rows, top) = self.along(0, image[0], size[0])?;
        let (cols, left) = self.along(1, image[1], size[1])?;
        let window = Window {
            batch: images.dim(0),
            image,
            depth: images.dim(3),
            size,
            out: [rows, cols],
            stride: self.stride,
            dilation: self.dilation,
            pad: [top, left],
        };
        Ok(window)
    }

    /// What is known of the size of the result along one axis.
    ///
    /// Errors: `InvalidArgument` if the window is larger than the padded image.
    pub(crate) fn known_along(&self, axis: usize, image: Option<i64>, size: Option<i64>) -> Result<Option<i64>> {
        match (image.and_then(|d| usize::try_from(d).ok()), size.and_then(|d| usize::try_from(d).ok())) {
            (Some(image), Some(size)) => Ok(Some(self.along(axis, image, size)?.0 as i64)),
            (Some(image), None) if self.padding == Padding::Same => Ok(Some(image.div_ceil(self.stride[axis]) as i64)),
            _ => Ok(None),
        }
    }
}

/// A node of `op` with those attributes of `like` that say how the window slides.
pub(crate) fn sliding_like(like: &Operation, op: &str, inputs: impl IntoIterator<Item = Output>) -> Output {
    const NAMES: [&str; 6] = ["ksize", "strides", "padding", "explicit_paddings", "data_format", "dilations"];
    let attrs = like.with_attrs(|a| NAMES.map(|name| (name, a.get(name).cloned())));
    let mut node = like.graph().op(op).inputs(inputs);
    for (name, value) in attrs {
        if let Some(value) = value {
            node = node.attr(name, value);
        }
    }
    node.output()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sliding(padding: Padding, stride: usize) -> Sliding {
        Sliding { stride: [stride; 2], dilation: [1, 1], padding }
    }

    #[test]
    fn sizes_follow_the_padding() {
        assert_eq!(sliding(Padding::Same, 2).along(0, 5, 3).unwrap(), (3, 1));
        assert_eq!(sliding(Padding::Same, 1).along(0, 4, 2).unwrap(), (4, 0));
        assert_eq!(sliding(Padding::Valid, 2).along(0, 5, 3).unwrap(), (2, 0));
        assert_eq!(sliding(Padding::Valid, 1).along(0, 2, 3).unwrap(), (0, 0));
        assert_eq!(sliding(Padding::Explicit([[1, 2], [0, 0]]), 1).along(0, 4, 3).unwrap(), (5, 1));
        assert!(sliding(Padding::Valid, 1).along(0, 2, 9).is_err());
    }
}
