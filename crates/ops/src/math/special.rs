//! Functions that physics and statistics name, in double precision: incomplete gamma and beta integrals, Hurwitz's zeta (TF: those of Eigen's `SpecialFunctions`).

use std::f64::consts::PI;

/// Terms that a series or fraction may take; those here need far fewer unless their arguments are huge.
const MOST: usize = 20_000;

/// Whether the first is positive, the second not negative, and both are numbers.
fn are_in_range(a: f64, x: f64) -> bool {
    a > 0.0 && x >= 0.0
}

/// x^a e^-x / gamma(a + 1)
fn gamma_front(a: f64, x: f64) -> f64 {
    (a * x.ln() - x - libm::lgamma(a + 1.0)).exp()
}

/// The series of the lower incomplete gamma integral, without its front: the sum of x^n / ((a + 1) … (a + n)).
fn gamma_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..MOST {
        term *= x / (a + n as f64);
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

/// The continued fraction of the upper incomplete gamma integral, times x^a e^-x / gamma(a) (Lentz's method).
fn gamma_fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / if b == 0.0 { TINY } else { b };
    let mut h = d;
    for n in 1..MOST {
        let an = -(n as f64) * (n as f64 - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < TINY { TINY } else { d };
        c = b + an / c;
        c = if c.abs() < TINY { TINY } else { c };
        h *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    gamma_front(a, x) * a * h
}

/// The lower regularized incomplete gamma integral.
pub(super) fn igamma(a: f64, x: f64) -> f64 {
    match (a, x) {
        _ if !are_in_range(a, x) => f64::NAN,
        (_, 0.0) => 0.0,
        _ if x.is_infinite() => {
            if a.is_infinite() {
                f64::NAN
            } else {
                1.0
            }
        }
        _ if a.is_infinite() => 0.0,
        _ if x > 1.0 && x > a => 1.0 - gamma_fraction(a, x),
        _ => gamma_front(a, x) * gamma_series(a, x),
    }
}

/// The upper regularized incomplete gamma integral.
pub(super) fn igammac(a: f64, x: f64) -> f64 {
    match (a, x) {
        _ if !are_in_range(a, x) => f64::NAN,
        (_, 0.0) => 1.0,
        _ if x.is_infinite() => {
            if a.is_infinite() {
                f64::NAN
            } else {
                0.0
            }
        }
        _ if a.is_infinite() => 1.0,
        _ if x < 1.0 || x < a => 1.0 - gamma_front(a, x) * gamma_series(a, x),
        _ => gamma_fraction(a, x),
    }
}

/// The derivative of ln gamma.
pub(super) fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let w = 1.0 / (x * x);
    let tail = w * (1.0 / 12.0 - w * (1.0 / 120.0 - w * (1.0 / 252.0 - w * (1.0 / 240.0 - w * (1.0 / 132.0 - w * 691.0 / 32760.0)))));
    sum + x.ln() - 0.5 / x - tail
}

/// The derivative of [`igamma`] by `a`, term by term of its series.
pub(super) fn igamma_grad_a(a: f64, x: f64) -> f64 {
    match x {
        _ if !are_in_range(a, x) => return f64::NAN,
        0.0 => return 0.0,
        // The integral has long reached 1 there, whatever `a` is.
        _ if x.is_infinite() || x > 2.0 * a + 700.0 => return 0.0,
        _ => {}
    }
    let front = gamma_front(a, x);
    let log = x.ln();
    let (mut term, mut psi, mut sum, mut all) = (1.0, digamma(a + 1.0), 0.0, 0.0);
    for n in 0..MOST {
        if n > 0 {
            term *= x / (a + n as f64);
            psi += 1.0 / (a + n as f64);
        }
        sum += term * (log - psi);
        all += term;
        if term * (log - psi).abs() < all * f64::EPSILON * 0.1 && a + n as f64 > x {
            break;
        }
    }
    front * sum
}

/// The derivative of a sample of the gamma distribution by `a`, at a fixed value of its distribution function.
pub(super) fn gamma_sample_grad(a: f64, x: f64) -> f64 {
    let density = (-x + (a - 1.0) * x.ln() - libm::lgamma(a)).exp();
    -igamma_grad_a(a, x) / density
}

/// The continued fraction of the incomplete beta integral (Lentz's method).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..MOST {
        let m = m as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        h *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    h
}

/// The regularized incomplete beta integral.
pub(super) fn betainc(a: f64, b: f64, x: f64) -> f64 {
    if !are_in_range(a, b) || b == 0.0 || !(0.0..=1.0).contains(&x) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    let front = (libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) { front * beta_fraction(a, b, x) / a } else { 1.0 - front * beta_fraction(b, a, 1.0 - x) / b }
}

/// Hurwitz's zeta: the sum of (q + n)^-x (Euler and Maclaurin's formula).
pub(super) fn zeta(x: f64, q: f64) -> f64 {
    // B2k / (2k)!
    const BERNOULLI: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30_240.0,
        -1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        -691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        -3617.0 / 10_670_622_842_880_000.0,
    ];
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x < 1.0 || x.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return if x == x.floor() && x % 2.0 == 0.0 { f64::INFINITY } else { f64::NAN };
        }
        if x != x.floor() {
            return f64::NAN;
        }
    }
    let (mut sum, mut at) = (0.0, q);
    // Far enough out for the formula; a q far below 0 is given up on.
    for n in 0..MOST {
        if n >= 12 && at > 12.0 {
            break;
        }
        sum += at.powf(-x);
        at += 1.0;
    }
    sum += at.powf(1.0 - x) / (x - 1.0) + 0.5 * at.powf(-x);
    let (mut rising, mut power) = (x, at.powf(-x - 1.0));
    for (k, b) in BERNOULLI.iter().enumerate() {
        sum += b * rising * power;
        let k = 2.0 * k as f64;
        rising *= (x + k + 1.0) * (x + k + 2.0);
        power /= at * at;
    }
    sum
}

/// The `n`-th derivative of [`digamma`].
pub(super) fn polygamma(n: f64, x: f64) -> f64 {
    if n != n.floor() || n < 0.0 {
        return f64::NAN;
    }
    if n == 0.0 {
        return if x > 0.0 {
            digamma(x)
        } else if x == x.floor() {
            f64::NAN
        } else {
            digamma(1.0 - x) - PI / (PI * x).tan()
        };
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    sign * libm::tgamma(n + 1.0) * zeta(n + 1.0, x)
}

/// The argument at which the distribution function of the normal distribution is `p`: a rough guess, improved by Halley's method.
pub(super) fn ndtri(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return if p == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let tail = p.min(1.0 - p);
    // For the lower tail: sqrt(-2 ln p) less what the factor before the exponential takes.
    let t = (-2.0 * tail.ln()).sqrt();
    let mut x = if tail > 0.02 { (0.5 - tail) * -2.5 } else { -(t - (t * 2.5).ln() / t) };
    for _ in 0..40 {
        let error = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2) - tail;
        let step = error * (2.0 * PI).sqrt() * (0.5 * x * x).exp();
        let change = step / (1.0 + 0.5 * x * step).max(0.5);
        x -= change;
        if change.abs() <= 4.0 * f64::EPSILON * x.abs() {
            break;
        }
    }
    if p > 0.5 { -x } else { x }
}

/// The inverse of the error function.
pub(super) fn erfinv(y: f64) -> f64 {
    // Near 0 the distribution function has no digits left of y; the series has them.
    if y.abs() < 1e-4 {
        let y = y * PI.sqrt() / 2.0;
        return y + y * y * y / 3.0;
    }
    ndtri((y + 1.0) / 2.0) / std::f64::consts::SQRT_2
}
