//! Tensors as text, as `Assert` and `Print` write them (TF: `Tensor::SummarizeValue`).

use crate::prelude::*;
use crate::string::number_format::general;

/// The first `most` elements (all if negative) of `t`, dimensions in brackets.
///
/// Errors: none for tensors of known types; elements that have no text are shown as `?`.
pub(crate) fn summary(t: &Tensor, most: i64) -> String {
    let n = t.num_elements();
    let limit = usize::try_from(most).map_or(n, |m| m.min(n));
    let mut text = String::new();
    let mut next = 0;
    if t.rank() == 0 {
        if limit > 0 {
            text.push_str(&element(t, 0));
        }
    } else {
        dimension(t, 0, limit, &mut next, &mut text);
    }
    if n > limit {
        text.push_str("...");
    }
    text
}

fn dimension(t: &Tensor, axis: usize, limit: usize, next: &mut usize, text: &mut String) {
    if *next >= limit {
        return;
    }
    let count = t.dims()[axis];
    if axis + 1 == t.rank() {
        for i in 0..count {
            if *next >= limit {
                if axis != 0 {
                    text.push_str("...");
                }
                return;
            }
            if i > 0 {
                text.push(' ');
            }
            text.push_str(&element(t, *next));
            *next += 1;
        }
        return;
    }
    for _ in 0..count {
        if *next >= limit {
            return;
        }
        text.push('[');
        dimension(t, axis + 1, limit, next, text);
        text.push(']');
    }
}

/// `t` as text with, of each dimension, only the first and last `most` (all if negative) (TF: `SummarizeValue` of `print_v2`).
pub(crate) fn edges(t: &Tensor, most: i64) -> String {
    let mut text = String::new();
    let shown = usize::try_from(most).unwrap_or(usize::MAX);
    match t.rank() {
        0 => text.push_str(&quoted(t, 0)),
        _ => edge_dimension(t, 0, 0, shown, &mut text),
    }
    text
}

fn edge_dimension(t: &Tensor, axis: usize, first: usize, most: usize, text: &mut String) {
    let n = t.dims()[axis] as usize;
    let step = t.dims()[axis + 1..].iter().product::<i64>() as usize;
    let is_last = axis + 1 == t.rank();
    let gap = if is_last { " ".to_owned() } else { "\n".repeat(t.rank() - axis - 1) + &" ".repeat(axis + 1) };
    let is_cut = n > most.saturating_mul(2);
    text.push('[');
    for i in 0..n {
        if is_cut && i >= most && i < n - most {
            if i == most {
                text.push_str(&gap);
                text.push_str("...");
            }
            continue;
        }
        if i > 0 {
            text.push_str(&gap);
        }
        match is_last {
            true => text.push_str(&quoted(t, first + i)),
            false => edge_dimension(t, axis + 1, first + i * step, most, text),
        }
    }
    text.push(']');
}

fn quoted(t: &Tensor, i: usize) -> String {
    let plain = element(t, i);
    if t.dtype() == DType::String { format!("\"{plain}\"") } else { plain }
}

/// One element as text.
pub(crate) fn element(t: &Tensor, i: usize) -> String {
    fn at<T: ferroflow_tensor::Element>(t: &Tensor, i: usize, text: impl Fn(T) -> String) -> String {
        t.as_slice::<T>().ok().and_then(|s| s.get(i).copied()).map_or_else(|| "?".to_owned(), text)
    }
    match t.dtype() {
        DType::Float => at::<f32>(t, i, |v| shortest(v as f64, 6, 9, |s| s.parse::<f32>().is_ok_and(|p| p == v))),
        DType::Double => at::<f64>(t, i, |v| shortest(v, 15, 17, |s| s.parse::<f64>().is_ok_and(|p| p == v))),
        DType::Half => at::<half::f16>(t, i, |v| general(v.to_f64(), 6)),
        DType::BFloat16 => at::<half::bf16>(t, i, |v| general(v.to_f64(), 6)),
        DType::Bool => at::<bool>(t, i, |v| (v as u8).to_string()),
        DType::String => {
            let bytes = t.as_strings().ok().and_then(|s| s.get(i));
            bytes.map_or_else(|| "?".to_owned(), |b| b.escape_ascii().to_string())
        }
        DType::Complex64 => at::<num_complex::Complex<f32>>(t, i, |v| format!("({},{})", v.re, v.im)),
        DType::Complex128 => at::<num_complex::Complex<f64>>(t, i, |v| format!("({},{})", v.re, v.im)),
        other => with_integer!(other => T, { at::<T>(t, i, |v| v.to_string()) }, else { "?".to_owned() }),
    }
}

/// As few digits as give the number back, but at least `few` if they are not zeros.
fn shortest(v: f64, few: usize, enough: usize, exact: impl Fn(&str) -> bool) -> String {
    let text = general(v, few);
    if v.is_nan() || exact(&text) { text } else { general(v, enough) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_bracketed_and_the_rest_is_dots() {
        let t = tensor(&[2, 2], &[1i32, 2, 3, 4]);
        assert_eq!(summary(&t, -1), "[1 2][3 4]");
        assert_eq!(summary(&t, 3), "[1 2][3...]...");
        assert_eq!(summary(&tensor(&[3], &[1f32, 2.5, -0.1]), 3), "1 2.5 -0.1");
        assert_eq!(summary(&tensor(&[3], &[true, false, true]), 2), "1 0...");
        assert_eq!(summary(&Tensor::string("a\n"), 3), "a\\n");
        assert_eq!(summary(&tensor::<f32>(&[0], &[]), 3), "");
        assert_eq!(summary(&t, 0), "...");
    }
}
