//! `Arithmetic`: what updates of single elements need of a type. Integers wrap, as in TF's kernels.

use half::{bf16, f16};
use num_complex::Complex;

/// An element that can be added, subtracted, multiplied and divided.
pub(crate) trait Arithmetic: Copy + Send + Sync + 'static {
    /// Whether division by zero has no result.
    const DIVIDES_BY_NOTHING: bool;
    /// Whether it is zero.
    fn is_zero(self) -> bool;
    /// self + other.
    fn plus(self, other: Self) -> Self;
    /// self − other.
    fn minus(self, other: Self) -> Self;
    /// self · other.
    fn times(self, other: Self) -> Self;
    /// self / other; an integer divided by zero gives zero: look for zeros before.
    fn over(self, other: Self) -> Self;
    /// This count as an element.
    fn from_count(n: i64) -> Self;
}

/// An element that has an order.
pub(crate) trait Ordered: Arithmetic {
    /// The lesser of both.
    fn lesser(self, other: Self) -> Self;
    /// The greater of both.
    fn greater(self, other: Self) -> Self;
}

macro_rules! fractions {
    ($($ty:ty, $n:ident => $count:expr;)*) => {
        $(impl Arithmetic for $ty {
            const DIVIDES_BY_NOTHING: bool = true;
            #[inline(always)]
            fn is_zero(self) -> bool {
                num_traits::Zero::is_zero(&self)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            fn from_count($n: i64) -> Self {
                $count
            }
        })*
    };
}

fractions! {
    f32, n => n as f32;
    f64, n => n as f64;
    f16, n => f16::from_f32(n as f32);
    bf16, n => bf16::from_f32(n as f32);
    Complex<f32>, n => Complex::new(n as f32, 0.0);
    Complex<f64>, n => Complex::new(n as f64, 0.0);
}

macro_rules! integers {
    ($($ty:ty),*) => {
        $(impl Arithmetic for $ty {
            const DIVIDES_BY_NOTHING: bool = false;
            #[inline(always)]
            fn is_zero(self) -> bool {
                self == 0
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            fn from_count(n: i64) -> Self {
                n as $ty
            }
        })*
    };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! ordered {
    ($($ty:ty),*) => {
        $(impl Ordered for $ty {
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                if other < self { other } else { self }
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                if other > self { other } else { self }
            }
        })*
    };
}

ordered!(f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_never_trap() {
        assert_eq!(i8::MAX.plus(1), i8::MIN);
        assert_eq!(i32::MIN.over(-1), i32::MIN);
        assert_eq!(7i32.over(0), 0);
        assert_eq!(0u8.minus(1), 255);
    }

    #[test]
    fn numbers_keep_their_order() {
        assert_eq!((2.0f32.lesser(1.0), 2.0f32.greater(3.0)), (1.0, 3.0));
        assert_eq!(f16::from_count(3).over(f16::from_count(2)).to_f32(), 1.5);
    }
}
