//! Names of dimensions, such as NHWC, mapped to each other: what `DataFormatVecPermute` and `DataFormatDimMap` share.

use crate::prelude::*;

/// For each dimension of `to` its place in `from`.
///
/// Errors: `InvalidArgument` if the names are not those of four or five dimensions each once.
pub(crate) fn places(attrs: &AttrMap) -> Result<(Vec<usize>, Vec<usize>)> {
    let (from, to) = (attrs.str("src_format")?.as_bytes(), attrs.str("dst_format")?.as_bytes());
    if !(4..=5).contains(&from.len()) || from.len() != to.len() {
        return Err(invalid_argument(format!(
            "Source and destination format must be of length 4 or 5, received {} and {}",
            attrs.str("src_format")?,
            attrs.str("dst_format")?
        )));
    }
    let map = |a: &[u8], b: &[u8]| a.iter().map(|d| b.iter().position(|x| x == d)).collect::<Option<Vec<usize>>>();
    let distinct = (0..to.len()).all(|i| !to[..i].contains(&to[i]));
    match (map(to, from), map(from, to)) {
        (Some(forth), Some(back)) if distinct => Ok((forth, back)),
        _ => Err(invalid_argument("Destination and source format must determine a permutation")),
    }
}
