//! `Any`: whether any elements over some axes are true.

use super::reduction::{reduction_shape, truth};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Any(input: bool, reduction_indices: Tidx) -> (output: bool)",
    attrs: "keep_dims: bool = false; Tidx: type in {int32, int64} = int32",
    doc: "output = whether any of the elements of input over the axes reduction_indices are true; keep_dims leaves them with size 1.",
    shape: reduction_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| truth(ctx, true))],
    ..WORDS
};
