//! File names and lists of strings as arguments of file ops.

use crate::prelude::*;
use ferroflow_io::{FileSystem, LocalFileSystem};
use std::sync::Arc;

/// The file system that file ops use.
pub(crate) fn file_system() -> Arc<dyn FileSystem> {
    LocalFileSystem::shared()
}

/// The text of a scalar input.
///
/// Errors: `InvalidArgument` if it is no scalar or no UTF-8.
pub(crate) fn text(ctx: &OpKernelContext, i: usize, name: &str) -> Result<String> {
    let t = ctx.input(i)?;
    match t.as_strings()? {
        [s] if t.shape().is_scalar() => utf8(s, name),
        _ => Err(invalid_argument(format!("{name} must be a scalar, got shape {}", t.shape()))),
    }
}

/// The texts of a vector of strings.
///
/// Errors: `InvalidArgument` if it is no vector, or one is no UTF-8.
pub(crate) fn texts(ctx: &OpKernelContext, i: usize, name: &str) -> Result<Vec<String>> {
    let t = ctx.input(i)?;
    if t.rank() != 1 {
        return Err(invalid_argument(format!("{name} should be a vector, got shape {}", t.shape())));
    }
    t.as_strings()?.iter().map(|s| utf8(s, name)).collect()
}

fn utf8(s: &[u8], name: &str) -> Result<String> {
    String::from_utf8(s.to_vec()).map_err(|_| invalid_argument(format!("{name} is not valid UTF-8")))
}

/// An integer of a scalar input.
///
/// Errors: `InvalidArgument` if it is no scalar.
pub(crate) fn number(ctx: &OpKernelContext, i: usize, name: &str) -> Result<i32> {
    let t = ctx.input(i)?;
    if !t.shape().is_scalar() {
        return Err(invalid_argument(format!("{name} must be a scalar, got shape {}", t.shape())));
    }
    t.to_scalar()
}
