//! Crops of images that are resized: what `CropAndResize` and its gradients share (TF: `crop_and_resize_op`).

use crate::prelude::*;

/// How a pixel of a crop is made of the image's.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Method {
    Bilinear,
    Nearest,
}

impl Method {
    /// What a node's attribute says.
    ///
    /// Errors: `InvalidArgument` for anything else.
    pub(super) fn of(attrs: &AttrMap) -> Result<Method> {
        match attrs.str("method")? {
            "bilinear" => Ok(Method::Bilinear),
            "nearest" => Ok(Method::Nearest),
            other => Err(invalid_argument(format!("method must be 'bilinear' or 'nearest', got {other}"))),
        }
    }
}

/// Boxes `[y1, x1, y2, x2]`, as shares of the image, with the images that they are in.
pub(super) struct Boxes<'a> {
    pub(super) edges: Vec<[f32; 4]>,
    pub(super) images: &'a [i32],
}

impl<'a> Boxes<'a> {
    /// Boxes in `batch` images.
    ///
    /// Errors: `InvalidArgument` if shapes do not fit, or an image does not exist.
    pub(super) fn of(boxes: &Tensor, images: &'a Tensor, batch: usize) -> Result<Boxes<'a>> {
        let count = if boxes.num_elements() == 0 && images.num_elements() == 0 {
            0
        } else {
            let &[n, 4] = boxes.dims() else {
                return Err(invalid_argument(format!("boxes must be a matrix with 4 columns, got shape {}", boxes.shape())));
            };
            if images.rank() != 1 {
                return Err(invalid_argument(format!("box_index must be 1-D, got shape {}", images.shape())));
            }
            if images.dims()[0] != n {
                return Err(invalid_argument("box_index has incompatible shape"));
            }
            n as usize
        };
        let images = images.as_slice::<i32>()?;
        if images.iter().any(|&i| usize::try_from(i).map_or(true, |i| i >= batch)) {
            return Err(out_of_range("box_index has values outside [0, batch_size)"));
        }
        let edges = boxes.as_slice::<f32>()?.chunks_exact(4).take(count).map(|e| [e[0], e[1], e[2], e[3]]).collect();
        Ok(Boxes { edges, images })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }
}

/// How the places of a crop lie along one dimension of the image.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    from: f32,
    to: f32,
    size: usize,
    crop: usize,
}

impl Axis {
    /// Between these edges, in an image and a crop of these sizes.
    pub(super) fn new(from: f32, to: f32, size: usize, crop: usize) -> Axis {
        Axis { from, to, size, crop }
    }

    /// The image's size less one.
    pub(super) fn extent(&self) -> f32 {
        (self.size - 1) as f32
    }

    /// How far two places of the crop are apart.
    pub(super) fn scale(&self) -> f32 {
        if self.crop > 1 { (self.to - self.from) * self.extent() / (self.crop - 1) as f32 } else { 0.0 }
    }

    /// Where a place of the crop lies, unless that is outside of the image.
    pub(super) fn place(&self, i: usize) -> Option<f32> {
        let at =
            if self.crop > 1 { self.from * self.extent() + i as f32 * self.scale() } else { 0.5 * (self.from + self.to) * self.extent() };
        (at >= 0.0 && at <= self.extent()).then_some(at)
    }

    /// The place of the image on either side, and how far it is from the lower.
    pub(super) fn neighbours(&self, at: f32) -> (usize, usize, f32) {
        let (lower, upper) = (at.floor(), at.ceil());
        (lower as usize, (upper as usize).min(self.size - 1), at - lower)
    }

    /// The nearest place of the image.
    pub(super) fn nearest(&self, at: f32) -> usize {
        (at.round() as usize).min(self.size - 1)
    }
}

/// The two axes of a box.
pub(super) fn axes(edges: &[f32; 4], [height, width]: [usize; 2], [rows, columns]: [usize; 2]) -> [Axis; 2] {
    [Axis::new(edges[0], edges[2], height, rows), Axis::new(edges[1], edges[3], width, columns)]
}

/// The gradients' shape `[boxes, rows, columns, depth]` checked against the boxes; rows and columns.
///
/// Errors: `InvalidArgument` if it does not fit.
pub(super) fn check_grads(grads: &Tensor, boxes: &Boxes, depth: usize) -> Result<[usize; 2]> {
    match *grads.dims() {
        [_, rows, columns, _] if rows <= 0 || columns <= 0 => {
            Err(invalid_argument(format!("grads dimensions must be positive, got shape {}", grads.shape())))
        }
        [n, ..] if grads.rank() == 4 && n as usize != boxes.len() => Err(invalid_argument("boxes and grads have incompatible shape")),
        [_, rows, columns, d] if d as usize == depth => Ok([rows as usize, columns as usize]),
        [_, _, _, _] => Err(invalid_argument("image_size and grads are incompatible")),
        _ => Err(invalid_argument(format!("grads image must be 4-D, got shape {}", grads.shape()))),
    }
}
