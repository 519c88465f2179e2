//! Numbers as C's `printf` writes them: `%f`, `%e` and `%g`.

/// `%.{precision}f`.
pub(crate) fn fixed(v: f64, precision: usize) -> String {
    not_finite(v).unwrap_or_else(|| format!("{v:.precision$}"))
}

/// `%.{precision}e`: at least two digits of exponent, with its sign.
pub(crate) fn scientific(v: f64, precision: usize) -> String {
    not_finite(v).unwrap_or_else(|| {
        let text = format!("{v:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{digits}e{}", exponent_text(exponent.parse().unwrap_or(0)))
    })
}

/// `%.{precision}g`: `precision` significant digits, without zeros at the end, in whichever form is shorter.
pub(crate) fn general(v: f64, precision: usize) -> String {
    not_finite(v).unwrap_or_else(|| {
        let precision = precision.max(1);
        let text = format!("{v:.*e}", precision - 1);
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        if exponent < -4 || exponent >= precision as i32 {
            format!("{}e{}", without_zeros(digits), exponent_text(exponent))
        } else {
            let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
            without_zeros(&format!("{v:.decimals$}")).to_owned()
        }
    })
}

fn not_finite(v: f64) -> Option<String> {
    match v {
        v if v.is_nan() => Some("nan".to_owned()),
        f64::INFINITY => Some("inf".to_owned()),
        f64::NEG_INFINITY => Some("-inf".to_owned()),
        _ => None,
    }
}

fn exponent_text(e: i32) -> String {
    format!("{}{:02}", if e < 0 { '-' } else { '+' }, e.abs())
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_in_c() {
        assert_eq!(fixed(-0.0, 6), "-0.000000");
        assert_eq!(fixed(2.5, 0), "2");
        assert_eq!(scientific(1234567.0, 2), "1.23e+06");
        assert_eq!(scientific(1e-100, 0), "1e-100");
        assert_eq!(general(1234567.0, 6), "1.23457e+06");
        assert_eq!(general(100000.0, 6), "100000");
        assert_eq!(general(0.0001, 6), "0.0001");
        assert_eq!(general(0.00001, 6), "1e-05");
        assert_eq!(general(0.0, 6), "0");
        assert_eq!(general(999999.5, 6), "1e+06");
        assert_eq!(general(f64::NEG_INFINITY, 6), "-inf");
    }
}
