//! The ranges of quantised numbers: what `QuantizeV2` and `Dequantize` share.

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::{AsPrimitive, Bounded};

/// The quantised types.
pub(super) const QUANTISED: &[DType] = &[DType::QInt8, DType::QUInt8, DType::QInt16, DType::QUInt16, DType::QInt32];

/// An integer that a quantised number is stored in.
pub(super) trait Stored: Element + Bounded + AsPrimitive<f64> {
    /// The nearest integer that can be stored.
    fn nearest(x: f64) -> Self;
}

macro_rules! stored {
    ($($t:ty),*) => {$(impl Stored for $t {
        fn nearest(x: f64) -> Self {
            x as $t
        }
    })*};
}
stored!(i8, u8, i16, u16, i32);

/// The integer type in which a quantised type is stored.
///
/// Errors: `InvalidArgument` for other types.
pub(super) fn storage(dtype: DType) -> Result<DType> {
    Ok(match dtype {
        DType::QInt8 => DType::Int8,
        DType::QUInt8 => DType::UInt8,
        DType::QInt16 => DType::Int16,
        DType::QUInt16 => DType::UInt16,
        DType::QInt32 => DType::Int32,
        other => return Err(invalid_argument(format!("{other} is no quantised type"))),
    })
}

/// How numbers and integers correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The integers divide the range evenly.
    MinCombined,
    /// As `MinCombined`, with zero on an integer.
    MinFirst,
    /// By a factor.
    Scaled,
}

/// What the attributes say, and where slices with ranges of their own lie in the tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) mode: Mode,
    pub(super) narrow: bool,
    /// How many ranges there are.
    pub(super) slices: usize,
    /// How many elements lie next to each other in a slice.
    pub(super) inner: usize,
}

impl Setting {
    /// Reads and checks attributes and the ranges at inputs 1 and 2.
    ///
    /// Errors: `InvalidArgument` for what does not fit.
    pub(super) fn of(ctx: &OpKernelContext) -> Result<Setting> {
        let attrs = &ctx.node.attrs;
        let mode = match attrs.str("mode")? {
            "MIN_COMBINED" => Mode::MinCombined,
            "MIN_FIRST" => Mode::MinFirst,
            "SCALED" => Mode::Scaled,
            other => return Err(invalid_argument(format!("Mode string must be 'MIN_COMBINED', 'MIN_FIRST', or 'SCALED', is '{other}'"))),
        };
        let (axis, shape) = (attrs.int("axis")?, ctx.input(0)?.shape());
        if axis < -1 {
            return Err(invalid_argument(format!("axis must be at least -1, got {axis}")));
        }
        let (slices, inner) = match usize::try_from(axis) {
            Err(_) => (1, shape.num_elements()),
            Ok(axis) if axis < shape.rank() => (shape.dim(axis), (axis + 1..shape.rank()).map(|i| shape.dim(i)).product()),
            Ok(axis) => return Err(invalid_argument(format!("Axis must be less than input dimension({}), got {axis}", shape.rank()))),
        };
        for (i, name) in [(1, "min_range"), (2, "max_range")] {
            let t = ctx.input(i)?;
            let fits = if axis < 0 { t.num_elements() == 1 } else { t.dims() == [slices as i64] };
            if !fits {
                return Err(invalid_argument(format!("{name} must have {slices} elements, for axis {axis}, got shape {}", t.shape())));
            }
        }
        Ok(Setting { mode, narrow: attrs.bool("narrow_range")?, slices, inner })
    }

    /// Which range element `i` has.
    pub(super) fn slice_of(&self, i: usize) -> usize {
        if self.slices == 1 { 0 } else { i / self.inner.max(1) % self.slices.max(1) }
    }
}

/// The least and the largest integer that are used.
pub(super) fn limits<T: Stored>(narrow: bool) -> (f64, f64) {
    let least: f64 = T::min_value().as_();
    (least + f64::from(u8::from(narrow)), T::max_value().as_())
}

/// How many integers there are below 0 for signed types: what their numbers are shifted by.
pub(super) fn half_range<T: Stored>() -> f64 {
    let (least, most) = limits::<T>(false);
    if least < 0.0 { (most - least + 1.0) / 2.0 } else { 0.0 }
}

/// How far apart the numbers of neighbouring integers are with [`Mode::MinFirst`].
pub(super) fn step<T: Stored>(min: f32, max: f32) -> f64 {
    let (least, most) = limits::<T>(false);
    let steps = most - least + 1.0;
    f64::from(max - min) * (steps / (steps - 1.0)) / steps
}

/// The shape of the elements; ranges are scalars, or vectors as long as the dimension `axis`. Outputs 1 and 2 have their shape.
///
/// Errors: `InvalidArgument` for what does not fit.
pub(super) fn quantised_shape(c: &mut ShapeContext) -> Result<()> {
    let axis = c.node().attrs.int("axis")?;
    if axis < -1 {
        return Err(invalid_argument(format!("axis should be at least -1, got {axis}")));
    }
    let range = match usize::try_from(axis) {
        Err(_) => PartialShape::scalar(),
        Ok(axis) => {
            let x = c.with_rank_at_least(0, axis + 1)?;
            PartialShape::new(&[x.rank().and_then(|_| x.dim(axis))])
        }
    };
    for i in [1, 2] {
        c.with_rank(i, usize::from(axis >= 0))?;
    }
    let x = c.input(0);
    c.set_output(0, x);
    for i in 1..c.node().output_types.len() {
        c.set_output(i, range.clone());
    }
    Ok(())
}
