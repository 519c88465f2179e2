//! Where the pixels of a resized image come from: what the resizing ops share (TF: `ImageResizerState`).

use crate::prelude::*;
use ferroflow_tensor::error::resource_exhausted;

/// The types of pixels.
pub(super) const PIXELS: &[DType] = &[
    DType::Int8,
    DType::UInt8,
    DType::Int16,
    DType::UInt16,
    DType::Int32,
    DType::Int64,
    DType::Half,
    DType::BFloat16,
    DType::Float,
    DType::Double,
];
/// Most rows or columns of a resized image.
const MOST: usize = 1 << 26;

/// How places of an image map to places of another.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    align_corners: bool,
    pub(super) half_pixel_centers: bool,
}

/// A place between two neighbours, and how far it is from the lower.
#[derive(Clone, Copy)]
pub(super) struct Between {
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) weight: f32,
}

impl Scale {
    /// What a node's attributes say.
    ///
    /// Errors: `InvalidArgument` if they exclude each other.
    pub(super) fn of(attrs: &AttrMap) -> Result<Scale> {
        let (align_corners, half_pixel_centers) = (attrs.bool("align_corners")?, attrs.bool("half_pixel_centers")?);
        if align_corners && half_pixel_centers {
            return Err(invalid_argument("If half_pixel_centers is True, align_corners must be False."));
        }
        Ok(Scale { align_corners, half_pixel_centers })
    }

    /// How many of `from` places one of `to` stands for.
    pub(super) fn factor(self, from: usize, to: usize) -> f32 {
        if self.align_corners && to > 1 { (from - 1) as f32 / (to - 1) as f32 } else { from as f32 / to as f32 }
    }

    /// For each of `to` places the neighbours among `from` places.
    pub(super) fn between(self, from: usize, to: usize) -> Vec<Between> {
        let factor = self.factor(from, to);
        let place = |i: usize| {
            let at = if self.half_pixel_centers { (i as f32 + 0.5) * factor - 0.5 } else { i as f32 * factor };
            let floor = at.floor();
            Between { lower: floor.max(0.0) as usize, upper: (at.ceil().max(0.0) as usize).min(from - 1), weight: at - floor }
        };
        (0..to).map(place).map(|b| Between { lower: b.lower.min(from - 1), ..b }).collect()
    }

    /// For each of `to` places the nearest among `from` places.
    pub(super) fn nearest(self, from: usize, to: usize) -> Vec<usize> {
        let factor = self.factor(from, to);
        let place = |i: usize| {
            let at = if self.half_pixel_centers { (i as f32 + 0.5) * factor } else { i as f32 * factor };
            let at = if self.align_corners { at.round() } else { at.floor() };
            (at.max(0.0) as usize).min(from - 1)
        };
        (0..to).map(place).collect()
    }
}

/// Rows and columns that the vector at input `i` asks for.
///
/// Errors: `InvalidArgument` if it is no vector of two positive numbers.
pub(super) fn size(ctx: &OpKernelContext, i: usize) -> Result<[usize; 2]> {
    let t = ctx.input(i)?;
    let &[rows, columns] = t.as_slice::<i32>()? else {
        return Err(invalid_argument(format!("shape_t must have two elements {}", t.shape())));
    };
    if t.rank() != 1 {
        return Err(invalid_argument(format!("shape_t must be 1-dimensional {}", t.shape())));
    }
    match (usize::try_from(rows), usize::try_from(columns)) {
        (Ok(r), Ok(c)) if r > MOST || c > MOST => Err(resource_exhausted(format!("no image of {r} rows and {c} columns fits into memory"))),
        (Ok(r), Ok(c)) if r > 0 && c > 0 => Ok([r, c]),
        _ => Err(invalid_argument(format!("output dimensions must be positive, got {rows}, {columns}"))),
    }
}

/// Batch, rows, columns and depth of images.
///
/// Errors: `InvalidArgument` if they are no images, or have no pixels.
pub(super) fn images(t: &Tensor) -> Result<[usize; 4]> {
    let &[b, r, c, d] = t.dims() else { return Err(invalid_argument(format!("input must be 4-dimensional {}", t.shape()))) };
    if r < 1 || c < 1 {
        return Err(invalid_argument(format!("input image must be of non-zero size, got {}", t.shape())));
    }
    Ok([b as usize, r as usize, c as usize, d as usize])
}

/// The shape of images resized to the size at input 1.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn resized_shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 4)?;
    if c.with_rank(1, 1)?.dim(0).is_some_and(|n| n != 2) {
        return Err(invalid_argument(format!("size must have two elements, not {}", c.input(1))));
    }
    let size = c.constant(1).map(|t| t.to_i64s()).transpose()?;
    let of = |i: usize| size.as_ref().and_then(|s| s.get(i).copied()).filter(|d| *d >= 0);
    c.set_output(0, PartialShape::new(&[x.dim(0), of(0), of(1), x.dim(3)]));
    Ok(())
}
