//! Exponential and logarithm of f32, and what follows from them, as straight-line code that the compiler vectorises
//! (calls into the C library do not). Within about 2 units in the last place; NaN, infinities, overflow and denormals as in IEEE.

use std::f32::consts::LOG2_E;

/// Adding and subtracting 1.5 * 2^23 rounds a float to an integer, which then sits in the low bits.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts; the first has so few bits that its product with an exponent is exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// 2^n for -126 <= n <= 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// x = n ln 2 + r with |r| <= ln 2 / 2: gives n and e^r - 1. `x` must lie in -104 ..= 89.
#[inline(always)]
fn reduced_expm1(x: f32) -> (i32, f32) {
    let shifted = x * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_2e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    (shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32, p * r * r + r)
}

#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x > low { x } else { low };
    if x < high { x } else { high }
}

/// e^x.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let (n, q) = reduced_expm1(clamp(x, -104.0, 89.0));
    // In two halves, so that results beyond 2^127 and below 2^-126 come out right.
    let half = n >> 1;
    let y = (q + 1.0) * power_of_two(half) * power_of_two(n.wrapping_sub(half));
    if x.is_nan() { x } else { y }
}

/// e^x - 1, exact to the last places near 0 too.
#[inline(always)]
pub(crate) fn expm1(x: f32) -> f32 {
    let (n, q) = reduced_expm1(clamp(x, -104.0, 88.0));
    let scale = power_of_two(clamp_exponent(n));
    let y = q * scale + (scale - 1.0);
    let y = if x > 88.0 { exp(x) } else { y };
    if x.is_nan() || x == 0.0 { x } else { y }
}

#[inline(always)]
fn clamp_exponent(n: i32) -> i32 {
    if n < -126 { -126 } else { n }
}

/// Natural logarithm.
#[inline(always)]
pub(crate) fn ln(x: f32) -> f32 {
    let denormal = x < f32::MIN_POSITIVE;
    let scaled = if denormal { x * 8_388_608.0 } else { x };
    let bits = scaled.to_bits();
    // The mantissa is taken between sqrt(1/2) and sqrt(2), so that f is small on both sides of 1.
    let e = (bits.wrapping_sub(0x3f35_04f3) as i32) >> 23;
    let f = f32::from_bits(bits.wrapping_sub((e as u32) << 23)) - 1.0;
    let e = e as f32 - if denormal { 23.0 } else { 0.0 };
    let mut p = 7.037_683_6e-2;
    p = p * f - 1.151_461e-1;
    p = p * f + 1.167_699_9e-1;
    p = p * f - 1.242_014_1e-1;
    p = p * f + 1.424_932_3e-1;
    p = p * f - 1.666_805_8e-1;
    p = p * f + 2.000_071_5e-1;
    p = p * f - 2.499_999_4e-1;
    p = p * f + 3.333_333e-1;
    let square = f * f;
    let y = (f + (p * f * square + e * LN2_LOW - 0.5 * square)) + e * LN2_HIGH;
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    if x >= 0.0 { y } else { f32::NAN }
}

/// ln(1 + x), exact to the last places near 0 too.
#[inline(always)]
pub(crate) fn ln_1p(x: f32) -> f32 {
    let u = 1.0 + x;
    let d = u - 1.0;
    // The rounding error of 1 + x cancels out of ln(u) / (u - 1).
    let y = ln(u) * (x / d);
    let y = if d == 0.0 { x } else { y };
    if x == f32::INFINITY { x } else { y }
}

/// Hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let a = clamp(x.abs(), 0.0, 10.0);
    let t = expm1(2.0 * a);
    let y = (t / (t + 2.0)).copysign(x);
    if x.is_nan() { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with f64 over floats of all sizes, about a million of them.
    fn worst_relative_error(f: fn(f32) -> f32, exact: fn(f64) -> f64, from: f32, to: f32) -> f64 {
        let mut worst = 0.0f64;
        for bits in (0..=u32::MAX).step_by(4099) {
            let x = f32::from_bits(bits);
            if !(x >= from && x <= to) {
                continue;
            }
            let (y, e) = (f(x), exact(f64::from(x)));
            if e.abs() > f64::from(f32::MAX) {
                assert!(y.is_infinite() || y.abs() > 3.4e38, "f({x}) = {y}");
                continue;
            }
            // Below the normal range the spacing is absolute.
            worst = worst.max((f64::from(y) - e).abs() / e.abs().max(f64::from(f32::MIN_POSITIVE)));
        }
        worst
    }

    #[test]
    fn functions_agree_with_double_precision() {
        let all = (f32::MIN, f32::MAX);
        for (name, worst) in [
            ("exp", worst_relative_error(exp, f64::exp, all.0, all.1)),
            ("expm1", worst_relative_error(expm1, f64::exp_m1, all.0, all.1)),
            ("ln", worst_relative_error(ln, f64::ln, 0.0, all.1)),
            ("ln_1p", worst_relative_error(ln_1p, f64::ln_1p, -1.0, all.1)),
            ("tanh", worst_relative_error(tanh, f64::tanh, all.0, all.1)),
        ] {
            assert!(worst < 3e-7, "{name} is off by {worst:e}");
        }
    }

    #[test]
    fn special_values_are_those_of_ieee() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        assert_eq!([exp(inf), exp(-inf), exp(0.0), exp(100.0), exp(-200.0)], [inf, 0.0, 1.0, inf, 0.0]);
        assert_eq!([expm1(inf), expm1(-inf), expm1(0.0), expm1(1e-30)], [inf, -1.0, 0.0, 1e-30]);
        assert_eq!([ln(inf), ln(0.0), ln(-0.0), ln(1.0)], [inf, -inf, -inf, 0.0]);
        assert_eq!([ln_1p(inf), ln_1p(-1.0), ln_1p(0.0), ln_1p(1e-30)], [inf, -inf, 0.0, 1e-30]);
        assert_eq!([tanh(inf), tanh(-inf), tanh(0.0), tanh(20.0)], [1.0, -1.0, 0.0, 1.0]);
        for f in [exp, expm1, ln, ln_1p, tanh] {
            assert!(f(nan).is_nan());
        }
        assert!(ln(-1.0).is_nan() && ln(-inf).is_nan() && ln_1p(-1.5).is_nan());
        assert!(expm1(-0.0).is_sign_negative() && tanh(-0.0).is_sign_negative());
    }
}
