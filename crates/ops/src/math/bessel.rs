//! Modified Bessel functions in double precision, by the trapezoidal rule on their integrals, which converges faster than any power.

use std::f64::consts::PI;

/// Where the asymptotic series is exact to the last digit.
const LARGE: f64 = 60.0;

/// e^-|x| I_order(x) for order 0 or 1.
pub(super) fn ie(order: u8, x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() || x.is_infinite() {
        return if x.is_nan() { x } else { 0.0 };
    }
    let value = if size > LARGE {
        asymptotic(order, size, -1.0) / (2.0 * PI * size).sqrt()
    } else if order == 1 && size < 1e-3 {
        // The integral cancels out here.
        size / 2.0 * (1.0 + size * size / 8.0) * (-size).exp()
    } else {
        const POINTS: usize = 64;
        let at = |i: usize| {
            let cos = (PI * (i as f64 + 0.5) / POINTS as f64).cos();
            (size * (cos - 1.0)).exp() * if order == 0 { 1.0 } else { cos }
        };
        (0..POINTS).map(at).sum::<f64>() / POINTS as f64
    };
    if order == 1 && x < 0.0 { -value } else { value }
}

/// e^x K_order(x) for order 0 or 1; infinite where x is not positive.
pub(super) fn ke(order: u8, x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    if x > LARGE {
        return asymptotic(order, x, 1.0) * (PI / (2.0 * x)).sqrt();
    }
    if order == 1 && x < 1e-8 {
        return 1.0 / x;
    }
    const STEP: f64 = 0.0625;
    let mut sum = 0.5;
    for i in 1.. {
        let cosh = (f64::from(i) * STEP).cosh();
        let decay = x * (cosh - 1.0);
        if decay > 60.0 {
            break;
        }
        sum += (-decay).exp() * if order == 0 { 1.0 } else { cosh };
    }
    sum * STEP
}

/// The asymptotic series of both; `sign` is that of its second term.
fn asymptotic(order: u8, x: f64, sign: f64) -> f64 {
    let mu = 4.0 * f64::from(order).powi(2);
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..40 {
        let odd = f64::from(2 * k - 1);
        let next = term * sign * (mu - odd * odd) / (f64::from(k) * 8.0 * x);
        if next.abs() >= f64::abs(term) || next.abs() < f64::EPSILON * 0.01 {
            break;
        }
        term = next;
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integral_and_series_meet() {
        for order in [0, 1] {
            let (a, b) = (ie(order, LARGE), ie(order, LARGE * (1.0 + 1e-12)));
            assert!((a / b - 1.0).abs() < 1e-11, "{a} {b}");
            let (a, b) = (ke(order, LARGE), ke(order, LARGE * (1.0 + 1e-12)));
            assert!((a / b - 1.0).abs() < 1e-11, "{a} {b}");
        }
        assert!((ie(1, 0.00099999) / ie(1, 0.00100001) - 0.00099999 / 0.00100001).abs() < 1e-7);
    }
}
