//! Tags and values of summary ops.

use crate::prelude::*;

/// The tag of a scalar input.
///
/// Errors: `InvalidArgument` if it is no scalar.
pub(crate) fn scalar_tag(ctx: &OpKernelContext, i: usize) -> Result<String> {
    match ctx.input(i)?.as_strings()? {
        [tag] if ctx.input(i)?.shape().is_scalar() => Ok(String::from_utf8_lossy(tag).into_owned()),
        _ => Err(invalid_argument(format!("tags must be scalar, but it has shape {}", ctx.input(i)?.shape()))),
    }
}

/// The elements of a tensor of real numbers; truth is 1.
///
/// Errors: `Unimplemented` for other types.
pub(crate) fn numbers(t: &Tensor) -> Result<Vec<f64>> {
    use num_traits::ToPrimitive;
    if t.dtype() == DType::Bool {
        return Ok(t.as_slice::<bool>()?.iter().map(|&b| f64::from(u8::from(b))).collect());
    }
    with_real!(t.dtype() => T, {
        Ok(t.as_slice::<T>()?.iter().map(|v| ToPrimitive::to_f64(v).unwrap_or(f64::NAN)).collect())
    }, else { Err(unsupported("a summary", t.dtype())) })
}
