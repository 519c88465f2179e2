//! `Shape`: the dimensions of a tensor that exists, and `PartialShape`: what is known of one that does not yet.
//!
//! A `Shape` cannot be built from unchecked numbers: dimensions are not negative and the element count fits
//! an i64, so that no later product can overflow.

use crate::error::{Result, invalid_argument};
use smallvec::SmallVec;
use std::fmt;

/// Most dimensions a shape may have (TF: `TensorShape::MaxDimensions`).
pub const MAX_DIMS: usize = 254;

/// The dimensions of a tensor; row-major, the last varies fastest. `[]` is a scalar.
#[derive(PartialEq, Eq, Hash, Default)]
pub struct Shape(SmallVec<[i64; 4]>);

impl Clone for Shape {
    // Every output of every node has one: copying the slice is several times faster than the derived extension by elements.
    #[inline]
    fn clone(&self) -> Shape {
        Shape(SmallVec::from_slice(&self.0))
    }
}

impl Shape {
    /// The shape of a scalar.
    #[inline]
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// A shape of these dimensions.
    ///
    /// Errors: `InvalidArgument` if one is negative, there are more than 254, or the product does not fit an i64.
    pub fn new(dims: &[i64]) -> Result<Shape> {
        if dims.len() > MAX_DIMS {
            return Err(invalid_argument(format!("shape has {} dimensions, at most {MAX_DIMS} are allowed", dims.len())));
        }
        // A zero makes the product zero, but the others must still multiply without overflow: kernels do partial products.
        let mut product: i64 = 1;
        for &d in dims {
            if d < 0 {
                return Err(invalid_argument(format!("Dimension {d} must be >= 0 in shape {dims:?}")));
            }
            product = product
                .checked_mul(d.max(1))
                .ok_or_else(|| invalid_argument(format!("Encountered overflow when multiplying the dimensions of shape {dims:?}")))?;
        }
        Ok(Shape(SmallVec::from_slice(dims)))
    }

    /// A shape of dimensions that come from Rust lengths.
    ///
    /// Errors: as [`Shape::new`].
    #[inline]
    pub fn from_lens(lens: &[usize]) -> Result<Shape> {
        let dims: SmallVec<[i64; 8]> = lens.iter().map(|&n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
        Shape::new(&dims)
    }

    /// The dimensions.
    #[inline]
    pub fn dims(&self) -> &[i64] {
        &self.0
    }

    /// The number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Dimension `axis`.
    ///
    /// # Panics
    /// If there is no such axis; check the rank first.
    #[inline]
    pub fn dim(&self, axis: usize) -> usize {
        self.0[axis] as usize
    }

    /// The number of elements; 1 for a scalar.
    #[inline]
    pub fn num_elements(&self) -> usize {
        self.0.iter().product::<i64>() as usize
    }

    /// Whether it is a scalar (rank 0).
    #[inline]
    pub fn is_scalar(&self) -> bool {
        self.0.is_empty()
    }

    /// An axis counted from the end if negative, checked.
    ///
    /// Errors: `InvalidArgument` if it is outside `[-rank, rank)`.
    pub fn axis(&self, axis: i64) -> Result<usize> {
        let rank = self.rank() as i64;
        let a = if axis < 0 { axis + rank } else { axis };
        if (0..rank).contains(&a) {
            Ok(a as usize)
        } else {
            Err(invalid_argument(format!("axis {axis} is out of range [{}, {rank}) of shape {self}", -rank)))
        }
    }

    /// The shape that numpy's broadcasting gives.
    ///
    /// Errors: `InvalidArgument` `Incompatible shapes: [2,3] vs. [4]`.
    pub fn broadcast(a: &Shape, b: &Shape) -> Result<Shape> {
        if a == b {
            return Ok(a.clone());
        }
        let rank = a.rank().max(b.rank());
        let mut dims: SmallVec<[i64; 4]> = SmallVec::with_capacity(rank);
        for i in 0..rank {
            let da = if i + a.rank() >= rank { a.0[i + a.rank() - rank] } else { 1 };
            let db = if i + b.rank() >= rank { b.0[i + b.rank() - rank] } else { 1 };
            dims.push(match (da, db) {
                (x, y) if x == y => x,
                (1, y) => y,
                (x, 1) => x,
                _ => return Err(invalid_argument(format!("Incompatible shapes: {a} vs. {b}"))),
            });
        }
        Shape::new(&dims)
    }
}

/// TF's text: `[2,3]`.
impl fmt::Display for Shape {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.0.iter().map(|d| d.to_string()).collect();
        write!(f, "[{}]", dims.join(","))
    }
}

impl fmt::Debug for Shape {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What is known of a shape before the tensor exists: nothing (unknown rank), or a rank whose dimensions may be unknown.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct PartialShape(Option<SmallVec<[Option<i64>; 4]>>);

impl PartialShape {
    /// Nothing is known.
    #[inline]
    pub fn unknown() -> PartialShape {
        PartialShape(None)
    }

    /// The shape of a scalar.
    #[inline]
    pub fn scalar() -> PartialShape {
        PartialShape(Some(SmallVec::new()))
    }

    /// A known rank; `None` is an unknown dimension.
    #[inline]
    pub fn new(dims: &[Option<i64>]) -> PartialShape {
        PartialShape(Some(SmallVec::from_slice(dims)))
    }

    /// A known rank of which no dimension is known.
    #[inline]
    pub fn of_rank(rank: usize) -> PartialShape {
        PartialShape(Some(SmallVec::from_elem(None, rank)))
    }

    /// From TF's numbers, where −1 is an unknown dimension.
    ///
    /// Errors: `InvalidArgument` if one is below −1 or the known ones overflow.
    pub fn from_numbers(dims: &[i64]) -> Result<PartialShape> {
        if let Some(d) = dims.iter().find(|&&d| d < -1) {
            return Err(invalid_argument(format!("Dimension {d} must be >= -1")));
        }
        let known: Vec<i64> = dims.iter().copied().filter(|&d| d >= 0).collect();
        Shape::new(&known)?;
        Ok(PartialShape(Some(dims.iter().map(|&d| (d >= 0).then_some(d)).collect())))
    }

    /// The dimensions, if the rank is known.
    #[inline]
    pub fn dims(&self) -> Option<&[Option<i64>]> {
        self.0.as_deref()
    }

    /// The rank, if known.
    #[inline]
    pub fn rank(&self) -> Option<usize> {
        self.0.as_ref().map(|d| d.len())
    }

    /// Dimension `axis`, if known; also `None` if there is no such axis.
    #[inline]
    pub fn dim(&self, axis: usize) -> Option<i64> {
        self.0.as_ref().and_then(|d| d.get(axis).copied().flatten())
    }

    /// The shape, if all of it is known.
    #[inline]
    pub fn to_shape(&self) -> Option<Shape> {
        let dims: Option<SmallVec<[i64; 4]>> = self.0.as_ref()?.iter().copied().collect();
        Shape::new(&dims?).ok()
    }

    /// Whether a tensor of this shape fits.
    #[inline]
    pub fn matches(&self, shape: &Shape) -> bool {
        match &self.0 {
            None => true,
            Some(dims) => dims.len() == shape.rank() && dims.iter().zip(shape.dims()).all(|(p, d)| p.is_none_or(|p| p == *d)),
        }
    }

    /// What both say together.
    ///
    /// Errors: `InvalidArgument` if they contradict each other.
    pub fn merge(&self, other: &PartialShape) -> Result<PartialShape> {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return Ok(if self.0.is_some() { self.clone() } else { other.clone() });
        };
        let conflict = || invalid_argument(format!("Shapes {self} and {other} are not compatible"));
        if a.len() != b.len() {
            return Err(conflict());
        }
        let dims: Result<SmallVec<[Option<i64>; 4]>> = a
            .iter()
            .zip(b)
            .map(|(x, y)| match (x, y) {
                (Some(x), Some(y)) if x != y => Err(conflict()),
                (x, y) => Ok(x.or(*y)),
            })
            .collect();
        Ok(PartialShape(Some(dims?)))
    }

    /// What is true of both alternatives: a dimension that differs is unknown.
    pub fn widen(&self, other: &PartialShape) -> PartialShape {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                PartialShape(Some(a.iter().zip(b).map(|(x, y)| if x == y { *x } else { None }).collect()))
            }
            _ => PartialShape::unknown(),
        }
    }
}

impl From<&Shape> for PartialShape {
    #[inline]
    fn from(s: &Shape) -> PartialShape {
        PartialShape(Some(s.dims().iter().map(|&d| Some(d)).collect()))
    }
}

impl From<Shape> for PartialShape {
    #[inline]
    fn from(s: Shape) -> PartialShape {
        PartialShape::from(&s)
    }
}

/// TF's text: `[2,?]`, `<unknown>`.
impl fmt::Display for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("<unknown>"),
            Some(d) => {
                let d: Vec<String> = d.iter().map(|d| d.map_or("?".to_owned(), |d| d.to_string())).collect();
                write!(f, "[{}]", d.join(","))
            }
        }
    }
}

impl fmt::Debug for PartialShape {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
