//! Whether two tensors agree, as exactly as their op promises.

use ferroflow_graph::op::Tolerance;
use ferroflow_tensor::{DType, Tensor};
use half::{bf16, f16};
use num_complex::Complex;

/// How `got` differs from `expected`, or `None` if it does not.
pub fn difference(got: &Tensor, expected: &Tensor, tolerance: Tolerance) -> Option<String> {
    if got.dtype() != expected.dtype() || got.shape() != expected.shape() {
        return Some(format!("is {}{}, not {}{}", got.dtype(), got.shape(), expected.dtype(), expected.shape()));
    }
    if expected.dtype() == DType::String {
        let (got, expected) = (got.as_strings().ok()?, expected.as_strings().ok()?);
        return (got != expected).then(|| format!("is {got:?}, not {expected:?}"));
    }
    let relative = match (tolerance, expected.dtype()) {
        (Tolerance::Within(bound), _) => f64::from(bound),
        (Tolerance::Rounding, DType::Float | DType::Complex64) => 1e-5,
        (Tolerance::Rounding, DType::Double | DType::Complex128) => 1e-10,
        (Tolerance::Rounding, DType::Half | DType::BFloat16) => 1e-2,
        (Tolerance::Exact | Tolerance::Rounding, _) => 0.0,
    };
    let (Some(got), Some(expected)) = (numbers(got), numbers(expected)) else {
        return (got.bytes().ok() != expected.bytes().ok()).then(|| "has other bytes".to_owned());
    };
    // Sums of terms that cancel out are as inexact as their terms: the largest element tells how large those may be.
    let largest = expected.iter().filter(|e| e.is_finite()).fold(0.0, |m: f64, e| m.max(e.abs())).min(4.0);
    let agrees = |g: f64, e: f64| g == e || (g.is_nan() && e.is_nan()) || (g - e).abs() <= relative * (e.abs() + largest);
    let wrong = got.iter().zip(&expected).enumerate().find(|(_, (g, e))| !agrees(**g, **e));
    wrong.map(|(i, (g, e))| format!("has {g} at {i}, not {e}"))
}

/// The elements as numbers, complex ones as pairs; `None` for types that are compared by their bytes.
fn numbers(t: &Tensor) -> Option<Vec<f64>> {
    let pairs = |z: Vec<(f64, f64)>| z.into_iter().flat_map(|(re, im)| [re, im]).collect();
    Some(match t.dtype() {
        DType::Float => t.as_slice::<f32>().ok()?.iter().map(|&x| f64::from(x)).collect(),
        DType::Double => t.as_slice::<f64>().ok()?.to_vec(),
        DType::Half => t.as_slice::<f16>().ok()?.iter().map(|x| x.to_f64()).collect(),
        DType::BFloat16 => t.as_slice::<bf16>().ok()?.iter().map(|x| x.to_f64()).collect(),
        DType::Complex64 => pairs(t.as_slice::<Complex<f32>>().ok()?.iter().map(|z| (z.re.into(), z.im.into())).collect()),
        DType::Complex128 => pairs(t.as_slice::<Complex<f64>>().ok()?.iter().map(|z| (z.re, z.im)).collect()),
        _ => return None,
    })
}
