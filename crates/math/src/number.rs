//! What the loops of this crate need to know of an element type.

use half::{bf16, f16};
use num_traits::{AsPrimitive, Float};
use std::fmt::Debug;
use std::ops::{AddAssign, DivAssign, MulAssign, SubAssign};

use crate::approximate;

/// A type that arithmetic is done in: f32 or f64, with functions that vectorise.
pub trait Real: Float + Default + Debug + Send + Sync + AddAssign + SubAssign + MulAssign + DivAssign + AsPrimitive<f64> + 'static {
    /// The nearest value to `x`.
    fn of(x: f64) -> Self;
    /// e^x.
    fn exponential(self) -> Self;
    /// e^x - 1.
    fn exponential_m1(self) -> Self;
    /// ln x.
    fn logarithm(self) -> Self;
    /// ln(1 + x).
    fn logarithm_1p(self) -> Self;
    /// tanh x.
    fn hyperbolic_tangent(self) -> Self;
    /// Nearest integer, halves to the even one.
    fn nearest_even(self) -> Self;
    /// The error function.
    fn error_function(self) -> Self;
    /// 1 - erf x.
    fn error_function_complement(self) -> Self;
    /// ln |gamma(x)|.
    fn log_gamma(self) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn of(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn exponential(self) -> Self {
        approximate::exp(self)
    }
    #[inline(always)]
    fn exponential_m1(self) -> Self {
        approximate::expm1(self)
    }
    #[inline(always)]
    fn logarithm(self) -> Self {
        approximate::ln(self)
    }
    #[inline(always)]
    fn logarithm_1p(self) -> Self {
        approximate::ln_1p(self)
    }
    #[inline(always)]
    fn hyperbolic_tangent(self) -> Self {
        approximate::tanh(self)
    }
    #[inline(always)]
    fn nearest_even(self) -> Self {
        self.round_ties_even()
    }
    fn error_function(self) -> Self {
        libm::erff(self)
    }
    fn error_function_complement(self) -> Self {
        libm::erfcf(self)
    }
    fn log_gamma(self) -> Self {
        libm::lgammaf(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn exponential(self) -> Self {
        self.exp()
    }
    #[inline(always)]
    fn exponential_m1(self) -> Self {
        self.exp_m1()
    }
    #[inline(always)]
    fn logarithm(self) -> Self {
        self.ln()
    }
    #[inline(always)]
    fn logarithm_1p(self) -> Self {
        self.ln_1p()
    }
    #[inline(always)]
    fn hyperbolic_tangent(self) -> Self {
        self.tanh()
    }
    #[inline(always)]
    fn nearest_even(self) -> Self {
        self.round_ties_even()
    }
    fn error_function(self) -> Self {
        libm::erf(self)
    }
    fn error_function_complement(self) -> Self {
        libm::erfc(self)
    }
    fn log_gamma(self) -> Self {
        libm::lgamma(self)
    }
}

/// A stored floating-point type: f32, f64, or a 16-bit type whose arithmetic is done in f32 and rounded once at the end.
pub trait Floating: Copy + Default + PartialOrd + Debug + Send + Sync + 'static {
    /// The type that arithmetic is done in.
    type Wide: Real;
    /// This value in the type of arithmetic; exact.
    fn widen(self) -> Self::Wide;
    /// The nearest value that can be stored.
    fn narrow(wide: Self::Wide) -> Self;
}

impl Floating for f32 {
    type Wide = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }
    #[inline(always)]
    fn narrow(wide: f32) -> f32 {
        wide
    }
}

impl Floating for f64 {
    type Wide = f64;
    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
    #[inline(always)]
    fn narrow(wide: f64) -> f64 {
        wide
    }
}

impl Floating for f16 {
    type Wide = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn narrow(wide: f32) -> f16 {
        f16::from_f32(wide)
    }
}

impl Floating for bf16 {
    type Wide = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn narrow(wide: f32) -> bf16 {
        bf16::from_f32(wide)
    }
}

/// wide = x, element by element.
pub(crate) fn widen<T: Floating>(x: &[T], wide: &mut [T::Wide]) {
    for (wide, x) in wide.iter_mut().zip(x) {
        *wide = x.widen();
    }
}

/// y = wide, each rounded.
pub(crate) fn narrow<T: Floating>(wide: &[T::Wide], y: &mut [T]) {
    for (y, &wide) in y.iter_mut().zip(wide) {
        *y = T::narrow(wide);
    }
}
