//! Conversion between element types, TensorFlow's `Cast`: floats are cut off towards zero (values outside an integer type give its
//! nearest bound and NaN gives 0, which TensorFlow leaves open), integers keep their low bits, `bool` means "not zero",
//! complex numbers lose their imaginary part.

use half::{bf16, f16};
use num_complex::Complex;

/// A type that can be converted to `D`.
pub trait CastTo<D>: Sized {
    /// y = x, element by element. Panics when the lengths differ.
    fn cast(x: &[Self], y: &mut [D]);
}

/// y = x converted, element by element. Panics when the lengths differ.
pub fn cast<S: CastTo<D>, D>(x: &[S], y: &mut [D]) {
    S::cast(x, y);
}

macro_rules! cast_by {
    ($s:ty => $d:ty, $f:expr) => {
        impl CastTo<$d> for $s {
            fn cast(x: &[$s], y: &mut [$d]) {
                assert_eq!(x.len(), y.len());
                let convert: fn($s) -> $d = $f;
                for (y, &x) in y.iter_mut().zip(x) {
                    *y = convert(x);
                }
            }
        }
    };
}

macro_rules! cast_number {
    ($($s:ty)*) => {$(
        cast_number!($s => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        cast_by!($s => bool, |x| x != 0 as $s);
        cast_by!($s => f16, |x| f16::from_f64(x as f64));
        cast_by!($s => bf16, |x| bf16::from_f64(x as f64));
        cast_by!($s => Complex<f32>, |x| Complex::new(x as f32, 0.0));
        cast_by!($s => Complex<f64>, |x| Complex::new(x as f64, 0.0));
    )*};
    ($s:ty => $($d:ty)*) => {$( cast_by!($s => $d, |x| x as $d); )*};
}
cast_number!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

/// Types whose elements are first read as a plain number.
macro_rules! cast_through {
    ($s:ty, $number:expr => $($d:ty)*) => {$( cast_by!($s => $d, |x| $number(x) as $d); )*};
}

macro_rules! cast_float16 {
    ($($s:ident)*) => {$(
        cast_through!($s, $s::to_f32 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        cast_by!($s => bool, |x| x.to_f32() != 0.0);
        cast_by!($s => f16, |x| f16::from_f32(x.to_f32()));
        cast_by!($s => bf16, |x| bf16::from_f32(x.to_f32()));
        cast_by!($s => Complex<f32>, |x| Complex::new(x.to_f32(), 0.0));
        cast_by!($s => Complex<f64>, |x| Complex::new(x.to_f64(), 0.0));
    )*};
}
cast_float16!(f16 bf16);

cast_through!(bool, u8::from => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
cast_by!(bool => bool, |x| x);
cast_by!(bool => f16, |x| f16::from_f32(f32::from(x)));
cast_by!(bool => bf16, |x| bf16::from_f32(f32::from(x)));
cast_by!(bool => Complex<f32>, |x| Complex::new(f32::from(x), 0.0));
cast_by!(bool => Complex<f64>, |x| Complex::new(f64::from(x), 0.0));

macro_rules! cast_complex {
    ($($r:ty)*) => {$(
        cast_complex!($r => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        cast_by!(Complex<$r> => bool, |x| x.re != 0.0 || x.im != 0.0);
        cast_by!(Complex<$r> => f16, |x| f16::from_f64(x.re as f64));
        cast_by!(Complex<$r> => bf16, |x| bf16::from_f64(x.re as f64));
        cast_by!(Complex<$r> => Complex<f32>, |x| Complex::new(x.re as f32, x.im as f32));
        cast_by!(Complex<$r> => Complex<f64>, |x| Complex::new(x.re as f64, x.im as f64));
    )*};
    ($r:ty => $($d:ty)*) => {$( cast_by!(Complex<$r> => $d, |x| x.re as $d); )*};
}
cast_complex!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn one<S: CastTo<D> + Copy, D: Default>(x: S) -> D {
        let mut y = [D::default()];
        cast(&[x], &mut y);
        let [y] = y;
        y
    }

    #[test]
    fn numbers_convert_as_in_c() {
        assert_eq!(one::<f32, i32>(-2.9), -2);
        assert_eq!(one::<f64, u8>(300.0), 255);
        assert_eq!(one::<f32, i64>(f32::NAN), 0);
        assert_eq!(one::<i32, u8>(-1), 255);
        assert_eq!(one::<i64, f16>(3), f16::from_f32(3.0));
        assert_eq!(one::<f16, bf16>(f16::from_f32(1.5)), bf16::from_f32(1.5));
        assert_eq!(one::<bf16, i32>(bf16::from_f32(-7.5)), -7);
        assert_eq!(one::<u64, f64>(u64::MAX), 18_446_744_073_709_551_616.0);
    }

    #[test]
    fn truth_is_not_zero() {
        assert!(one::<f32, bool>(f32::NAN));
        assert!(one::<f32, bool>(1e-40));
        assert!(!one::<f32, bool>(-0.0));
        assert!(one::<Complex<f32>, bool>(Complex::new(0.0, 1.0)));
        assert_eq!(one::<bool, f32>(true), 1.0);
        assert_eq!(one::<bool, Complex<f64>>(true), Complex::new(1.0, 0.0));
    }

    #[test]
    fn complex_numbers_lose_their_imaginary_part() {
        assert_eq!(one::<Complex<f64>, i32>(Complex::new(2.5, 9.0)), 2);
        assert_eq!(one::<Complex<f64>, Complex<f32>>(Complex::new(2.5, 9.0)), Complex::new(2.5, 9.0));
        assert_eq!(one::<f32, Complex<f32>>(2.5), Complex::new(2.5, 0.0));
    }
}
