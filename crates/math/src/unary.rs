//! Functions of one argument, element by element: TensorFlow's `cwise_ops` with one input.

use half::{bf16, f16};
use num_complex::Complex;
use num_traits::{One, Zero};

use crate::digamma::digamma;
use crate::error::ArithmeticError;
use crate::number::{Real, narrow, widen};
use crate::parallel::{ParallelFor, for_each_part};
use crate::vectorise::vectorised;

/// A function of one argument, by the name of TensorFlow's op.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Cos,
    Cosh,
    /// The derivative of `Lgamma`.
    Digamma,
    Elu,
    Erf,
    Erfc,
    Exp,
    Expm1,
    Floor,
    /// 1 / x; op names `Inv` and `Reciprocal`. Whole numbers: 0 for x = 0.
    Inv,
    /// All bits flipped; integers only.
    Invert,
    Lgamma,
    Log,
    Log1p,
    Neg,
    Relu,
    Relu6,
    /// Nearest integer, halves to the even one; op names `Rint` and `Round`.
    Round,
    Rsqrt,
    Selu,
    Sigmoid,
    Sign,
    Sin,
    Sinh,
    Softplus,
    Softsign,
    Sqrt,
    Square,
    Tan,
    Tanh,
}

/// An element type with functions of one argument.
pub trait UnaryElement: Copy + Default + Send + Sync + 'static {
    /// y = op(x) on slices of one length, on the calling thread. Callers use [`unary`].
    fn apply(op: UnaryOp, x: &[Self], y: &mut [Self]) -> Result<(), ArithmeticError>;
}

/// How many elements a task takes at least: below this a second thread costs more than it gains.
const GRAIN: usize = 16 * 1024;
/// How many elements an in-place loop copies aside at a time.
pub(crate) const BLOCK: usize = 256;

/// y = op(x), element by element. Panics when the lengths differ.
pub fn unary<T: UnaryElement>(pool: &dyn ParallelFor, op: UnaryOp, x: &[T], y: &mut [T]) -> Result<(), ArithmeticError> {
    assert_eq!(x.len(), y.len());
    T::apply(op, &[], &mut [])?;
    for_each_part(pool, y, x.len(), GRAIN, &|range, y| {
        let applied = T::apply(op, &x[range], y);
        debug_assert!(applied.is_ok());
    });
    Ok(())
}

/// x = op(x), element by element.
pub fn unary_in_place<T: UnaryElement>(pool: &dyn ParallelFor, op: UnaryOp, x: &mut [T]) -> Result<(), ArithmeticError> {
    T::apply(op, &[], &mut [])?;
    let len = x.len();
    for_each_part(pool, x, len, GRAIN, &|_, part| {
        let mut before = [T::default(); BLOCK];
        for block in part.chunks_mut(BLOCK) {
            let before = &mut before[..block.len()];
            before.copy_from_slice(block);
            let applied = T::apply(op, before, block);
            debug_assert!(applied.is_ok());
        }
    });
    Ok(())
}

#[inline(always)]
fn map<T: Copy, F: Fn(T) -> T>((x, y, f): (&[T], &mut [T], F)) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = f(x);
    }
}

#[inline(always)]
pub(crate) fn sigmoid<R: Real>(x: R) -> R {
    // From the side where e^-|x| does not overflow.
    let e = (-x.abs()).exponential();
    let y = R::one() / (R::one() + e);
    if x < R::zero() { e * y } else { y }
}

#[inline(always)]
fn softplus<R: Real>(x: R) -> R {
    let tail = (-x.abs()).exponential().logarithm_1p();
    if x > R::zero() { x + tail } else { tail }
}

#[inline(always)]
fn elu<R: Real>(x: R) -> R {
    if x < R::zero() { x.exponential_m1() } else { x }
}

pub(crate) const SELU_SCALE: f64 = 1.050_700_987_355_480_5;
pub(crate) const SELU_SCALE_ALPHA: f64 = 1.758_099_340_847_376_6;

#[inline(always)]
fn selu<R: Real>(x: R) -> R {
    if x < R::zero() { R::of(SELU_SCALE_ALPHA) * x.exponential_m1() } else { R::of(SELU_SCALE) * x }
}

#[inline(always)]
fn relu6<R: Real>(x: R) -> R {
    let six = R::of(6.0);
    let x = if x < R::zero() { R::zero() } else { x };
    if x > six { six } else { x }
}

#[inline(always)]
fn sign<R: Real>(x: R) -> R {
    let y = if x > R::zero() { R::one() } else { R::zero() };
    let y = if x < R::zero() { -R::one() } else { y };
    if x.is_nan() { x } else { y }
}

/// The inverse hyperbolic functions of large numbers are ln 2x, and `std` overflows there.
#[inline(always)]
fn asinh<R: Real>(x: R) -> R {
    let a = x.abs();
    if a > R::of(1e8) { (a.ln() + R::of(std::f64::consts::LN_2)).copysign(x) } else { x.asinh() }
}

#[inline(always)]
fn acosh<R: Real>(x: R) -> R {
    if x > R::of(1e8) { x.ln() + R::of(std::f64::consts::LN_2) } else { x.acosh() }
}

fn floating<R: Real>(op: UnaryOp, x: &[R], y: &mut [R]) -> Result<(), ArithmeticError> {
    macro_rules! apply {
        ($f:expr) => {
            vectorised((x, y, $f), map::<R, _>)
        };
    }
    match op {
        UnaryOp::Abs => apply!(|x: R| x.abs()),
        UnaryOp::Acos => apply!(|x: R| x.acos()),
        UnaryOp::Acosh => apply!(acosh::<R>),
        UnaryOp::Asin => apply!(|x: R| x.asin()),
        UnaryOp::Asinh => apply!(asinh::<R>),
        UnaryOp::Atan => apply!(|x: R| x.atan()),
        UnaryOp::Atanh => apply!(|x: R| x.atanh()),
        UnaryOp::Ceil => apply!(|x: R| x.ceil()),
        UnaryOp::Cos => apply!(|x: R| x.cos()),
        UnaryOp::Cosh => apply!(|x: R| x.cosh()),
        UnaryOp::Digamma => apply!(|x: R| R::of(digamma(x.as_()))),
        UnaryOp::Elu => apply!(elu::<R>),
        UnaryOp::Erf => apply!(|x: R| x.error_function()),
        UnaryOp::Erfc => apply!(|x: R| x.error_function_complement()),
        UnaryOp::Exp => apply!(R::exponential),
        UnaryOp::Expm1 => apply!(R::exponential_m1),
        UnaryOp::Floor => apply!(|x: R| x.floor()),
        UnaryOp::Inv => apply!(|x: R| x.recip()),
        UnaryOp::Invert => return Err(ArithmeticError::Unsupported),
        UnaryOp::Lgamma => apply!(|x: R| x.log_gamma()),
        UnaryOp::Log => apply!(R::logarithm),
        UnaryOp::Log1p => apply!(R::logarithm_1p),
        UnaryOp::Neg => apply!(|x: R| -x),
        UnaryOp::Relu => apply!(|x: R| if x < R::zero() { R::zero() } else { x }),
        UnaryOp::Relu6 => apply!(relu6::<R>),
        UnaryOp::Round => apply!(R::nearest_even),
        UnaryOp::Rsqrt => apply!(|x: R| x.sqrt().recip()),
        UnaryOp::Selu => apply!(selu::<R>),
        UnaryOp::Sigmoid => apply!(sigmoid::<R>),
        UnaryOp::Sign => apply!(sign::<R>),
        UnaryOp::Sin => apply!(|x: R| x.sin()),
        UnaryOp::Sinh => apply!(|x: R| x.sinh()),
        UnaryOp::Softplus => apply!(softplus::<R>),
        UnaryOp::Softsign => apply!(|x: R| x / (x.abs() + R::one())),
        UnaryOp::Sqrt => apply!(|x: R| x.sqrt()),
        UnaryOp::Square => apply!(|x: R| x * x),
        UnaryOp::Tan => apply!(|x: R| x.tan()),
        UnaryOp::Tanh => apply!(R::hyperbolic_tangent),
    }
    Ok(())
}

macro_rules! floating_element {
    ($($t:ty)*) => {$(
        impl UnaryElement for $t {
            fn apply(op: UnaryOp, x: &[Self], y: &mut [Self]) -> Result<(), ArithmeticError> {
                floating(op, x, y)
            }
        }
    )*};
}
floating_element!(f32 f64);

/// 16-bit types go through f32 block by block.
macro_rules! wide_element {
    ($($t:ty)*) => {$(
        impl UnaryElement for $t {
            fn apply(op: UnaryOp, x: &[Self], y: &mut [Self]) -> Result<(), ArithmeticError> {
                let (mut wide, mut result) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
                // The empty call finds an op that is not supported even when there is no block.
                floating::<f32>(op, &[], &mut [])?;
                for (x, y) in x.chunks(BLOCK).zip(y.chunks_mut(BLOCK)) {
                    let (wide, result) = (&mut wide[..x.len()], &mut result[..x.len()]);
                    widen(x, wide);
                    floating(op, wide, result)?;
                    narrow(result, y);
                }
                Ok(())
            }
        }
    )*};
}
wide_element!(f16 bf16);

macro_rules! integer_element {
    ($($t:ty: $abs:expr, $sign:expr;)*) => {$(
        impl UnaryElement for $t {
            fn apply(op: UnaryOp, x: &[Self], y: &mut [Self]) -> Result<(), ArithmeticError> {
                match op {
                    UnaryOp::Abs => map((x, y, $abs)),
                    UnaryOp::Ceil | UnaryOp::Floor | UnaryOp::Round => y.copy_from_slice(x),
                    UnaryOp::Inv => map((x, y, |x: $t| (1 as $t).checked_div(x).unwrap_or(0))),
                    UnaryOp::Invert => map((x, y, |x: $t| !x)),
                    UnaryOp::Neg => map((x, y, |x: $t| x.wrapping_neg())),
                    UnaryOp::Relu => map((x, y, |x: $t| x.max(0))),
                    UnaryOp::Relu6 => map((x, y, |x: $t| x.clamp(0, 6))),
                    UnaryOp::Sign => map((x, y, $sign)),
                    UnaryOp::Square => map((x, y, |x: $t| x.wrapping_mul(x))),
                    _ => return Err(ArithmeticError::Unsupported),
                }
                Ok(())
            }
        }
    )*};
}
integer_element! {
    i8: i8::wrapping_abs, i8::signum;
    i16: i16::wrapping_abs, i16::signum;
    i32: i32::wrapping_abs, i32::signum;
    i64: i64::wrapping_abs, i64::signum;
    u8: |x| x, |x| x.min(1);
    u16: |x| x, |x| x.min(1);
    u32: |x| x, |x| x.min(1);
    u64: |x| x, |x| x.min(1);
}

fn complex<R: Real>(op: UnaryOp, x: &[Complex<R>], y: &mut [Complex<R>]) -> Result<(), ArithmeticError> {
    let one = Complex::<R>::one();
    match op {
        UnaryOp::Acos => map((x, y, |x: Complex<R>| x.acos())),
        UnaryOp::Acosh => map((x, y, |x: Complex<R>| x.acosh())),
        UnaryOp::Asin => map((x, y, |x: Complex<R>| x.asin())),
        UnaryOp::Asinh => map((x, y, |x: Complex<R>| x.asinh())),
        UnaryOp::Atan => map((x, y, |x: Complex<R>| x.atan())),
        UnaryOp::Atanh => map((x, y, |x: Complex<R>| x.atanh())),
        UnaryOp::Cos => map((x, y, |x: Complex<R>| x.cos())),
        UnaryOp::Cosh => map((x, y, |x: Complex<R>| x.cosh())),
        UnaryOp::Exp => map((x, y, |x: Complex<R>| x.exp())),
        UnaryOp::Expm1 => map((x, y, |x: Complex<R>| x.exp() - one)),
        UnaryOp::Inv => map((x, y, |x: Complex<R>| one / x)),
        UnaryOp::Log => map((x, y, |x: Complex<R>| x.ln())),
        UnaryOp::Log1p => map((x, y, |x: Complex<R>| (x + one).ln())),
        UnaryOp::Neg => map((x, y, |x: Complex<R>| -x)),
        UnaryOp::Rsqrt => map((x, y, |x: Complex<R>| one / x.sqrt())),
        UnaryOp::Sigmoid => map((x, y, |x: Complex<R>| one / (one + (-x).exp()))),
        UnaryOp::Sign => map((x, y, |x: Complex<R>| if x.is_zero() { x } else { x / x.norm() })),
        UnaryOp::Sin => map((x, y, |x: Complex<R>| x.sin())),
        UnaryOp::Sinh => map((x, y, |x: Complex<R>| x.sinh())),
        UnaryOp::Sqrt => map((x, y, |x: Complex<R>| x.sqrt())),
        UnaryOp::Square => map((x, y, |x: Complex<R>| x * x)),
        UnaryOp::Tan => map((x, y, |x: Complex<R>| x.tan())),
        UnaryOp::Tanh => map((x, y, |x: Complex<R>| x.tanh())),
        _ => return Err(ArithmeticError::Unsupported),
    }
    Ok(())
}

impl UnaryElement for Complex<f32> {
    fn apply(op: UnaryOp, x: &[Self], y: &mut [Self]) -> Result<(), ArithmeticError> {
        complex(op, x, y)
    }
}

impl UnaryElement for Complex<f64> {
    fn apply(op: UnaryOp, x: &[Self], y: &mut [Self]) -> Result<(), ArithmeticError> {
        complex(op, x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Floating;
    use crate::parallel::Inline;
    use crate::parallel::tests::Threads;
    use crate::sample::Sample;

    type Case = (UnaryOp, fn(f64) -> f64, f64, f64);

    const CASES: &[Case] = &[
        (UnaryOp::Abs, f64::abs, -5.0, 5.0),
        (UnaryOp::Acos, f64::acos, -1.0, 1.0),
        (UnaryOp::Acosh, f64::acosh, 1.5, 9.0),
        (UnaryOp::Asin, f64::asin, -1.0, 1.0),
        (UnaryOp::Asinh, f64::asinh, -5.0, 5.0),
        (UnaryOp::Atan, f64::atan, -5.0, 5.0),
        (UnaryOp::Atanh, f64::atanh, -0.9, 0.9),
        (UnaryOp::Ceil, f64::ceil, -5.0, 5.0),
        (UnaryOp::Cos, f64::cos, -5.0, 5.0),
        (UnaryOp::Cosh, f64::cosh, -5.0, 5.0),
        (UnaryOp::Elu, |x| if x < 0.0 { x.exp_m1() } else { x }, -5.0, 5.0),
        (UnaryOp::Erf, libm::erf, -3.0, 3.0),
        (UnaryOp::Erfc, libm::erfc, -3.0, 3.0),
        (UnaryOp::Exp, f64::exp, -10.0, 10.0),
        (UnaryOp::Expm1, f64::exp_m1, -3.0, 3.0),
        (UnaryOp::Floor, f64::floor, -5.0, 5.0),
        (UnaryOp::Inv, |x| 1.0 / x, 0.1, 5.0),
        (UnaryOp::Lgamma, libm::lgamma, 3.0, 9.0),
        (UnaryOp::Log, f64::ln, 0.01, 50.0),
        (UnaryOp::Log1p, f64::ln_1p, -0.9, 5.0),
        (UnaryOp::Neg, |x| -x, -5.0, 5.0),
        (UnaryOp::Relu, |x| x.max(0.0), -5.0, 5.0),
        (UnaryOp::Relu6, |x| x.clamp(0.0, 6.0), -9.0, 9.0),
        (UnaryOp::Round, f64::round_ties_even, -5.0, 5.0),
        (UnaryOp::Rsqrt, |x| 1.0 / x.sqrt(), 0.1, 5.0),
        (UnaryOp::Selu, |x| 1.050_700_987_355_480_5 * if x < 0.0 { 1.673_263_242_354_377_2 * x.exp_m1() } else { x }, -5.0, 5.0),
        (UnaryOp::Sigmoid, |x| 1.0 / (1.0 + (-x).exp()), -20.0, 20.0),
        (UnaryOp::Sign, f64::signum, -5.0, 5.0),
        (UnaryOp::Sin, f64::sin, -5.0, 5.0),
        (UnaryOp::Sinh, f64::sinh, -5.0, 5.0),
        (UnaryOp::Softplus, |x| x.exp().ln_1p(), -20.0, 20.0),
        (UnaryOp::Softsign, |x| x / (1.0 + x.abs()), -5.0, 5.0),
        (UnaryOp::Sqrt, f64::sqrt, 0.0, 5.0),
        (UnaryOp::Square, |x| x * x, -5.0, 5.0),
        (UnaryOp::Tan, f64::tan, -1.0, 1.0),
        (UnaryOp::Tanh, f64::tanh, -5.0, 5.0),
    ];

    fn check<T: UnaryElement + Floating>(tolerance: f64, of: fn(f64) -> T, to: fn(T) -> f64) {
        let mut sample = Sample::new(1);
        for &(op, exact, low, high) in CASES {
            let x: Vec<T> = (0..601).map(|_| of(low + (high - low) * (sample.signed() + 1.0) / 2.0)).collect();
            let mut y = vec![T::default(); x.len()];
            unary(&Inline, op, &x, &mut y).unwrap();
            let mut in_place = x.clone();
            unary_in_place(&Inline, op, &mut in_place).unwrap();
            for ((&x, &y), &again) in x.iter().zip(&y).zip(&in_place) {
                let expected = exact(to(x));
                assert!((to(y) - expected).abs() <= tolerance * expected.abs().max(0.1), "{op:?}({x:?}) = {y:?}, not {expected}");
                assert!(y == again, "{op:?}({x:?}) differs in place");
            }
        }
    }

    #[test]
    fn all_functions_agree_with_double_precision() {
        check::<f32>(2e-6, |x| x as f32, f64::from);
        check::<f64>(1e-13, |x| x, |x| x);
        check::<f16>(1e-3, f16::from_f64, f64::from);
        check::<bf16>(8e-3, bf16::from_f64, f64::from);
    }

    #[test]
    fn nan_and_infinity_pass_as_in_tensorflow() {
        let f = |op, x: f32| {
            let mut y = [x];
            unary_in_place(&Inline, op, &mut y).unwrap();
            y[0]
        };
        for op in [UnaryOp::Relu, UnaryOp::Relu6, UnaryOp::Sigmoid, UnaryOp::Sign, UnaryOp::Softplus, UnaryOp::Elu, UnaryOp::Selu] {
            assert!(f(op, f32::NAN).is_nan(), "{op:?}");
        }
        assert_eq!(f(UnaryOp::Sigmoid, f32::INFINITY), 1.0);
        assert_eq!(f(UnaryOp::Sigmoid, f32::NEG_INFINITY), 0.0);
        assert_eq!(f(UnaryOp::Softplus, f32::INFINITY), f32::INFINITY);
        assert_eq!(f(UnaryOp::Softplus, f32::NEG_INFINITY), 0.0);
        assert_eq!(f(UnaryOp::Elu, f32::NEG_INFINITY), -1.0);
        assert_eq!(f(UnaryOp::Round, 2.5), 2.0);
        assert_eq!(f(UnaryOp::Round, -3.5), -4.0);
    }

    #[test]
    fn integers_wrap_and_refuse_what_is_not_theirs() {
        let f = |op, x: i32| {
            let mut y = [0];
            unary(&Inline, op, &[x], &mut y).map(|()| y[0])
        };
        assert_eq!(f(UnaryOp::Neg, i32::MIN), Ok(i32::MIN));
        assert_eq!(f(UnaryOp::Abs, i32::MIN), Ok(i32::MIN));
        assert_eq!(f(UnaryOp::Square, 1 << 20), Ok(0));
        assert_eq!(f(UnaryOp::Sign, -7), Ok(-1));
        assert_eq!(f(UnaryOp::Inv, 0), Ok(0));
        assert_eq!(f(UnaryOp::Invert, 0), Ok(-1));
        assert_eq!(f(UnaryOp::Exp, 1), Err(ArithmeticError::Unsupported));
        assert_eq!(unary_in_place(&Inline, UnaryOp::Invert, &mut [1.0f32]), Err(ArithmeticError::Unsupported));
    }

    #[test]
    fn complex_functions_are_inverse_to_each_other() {
        let z = [Complex::new(0.3f64, -0.7)];
        let (mut w, mut back) = (z, z);
        for (there, home) in [(UnaryOp::Exp, UnaryOp::Log), (UnaryOp::Square, UnaryOp::Sqrt), (UnaryOp::Expm1, UnaryOp::Log1p)] {
            unary(&Inline, there, &z, &mut w).unwrap();
            unary(&Inline, home, &w, &mut back).unwrap();
            assert!((back[0] - z[0]).norm() < 1e-12, "{there:?}");
        }
    }

    #[test]
    fn threads_do_not_change_the_result() {
        let x = Sample::new(5).f32s(100_001);
        let (mut one, mut many) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        unary(&Inline, UnaryOp::Tanh, &x, &mut one).unwrap();
        unary(&Threads(3), UnaryOp::Tanh, &x, &mut many).unwrap();
        assert_eq!(one, many);
        unary::<f32>(&Inline, UnaryOp::Exp, &[], &mut []).unwrap();
    }
}
