//! `StatelessTruncatedNormalV2`: numbers that depend on key and counter alone.

use super::counter_based;
use super::shape_argument::Distribution;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessTruncatedNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)",
    attrs: "dtype: type in {half, bfloat16, float, double} = float; Tshape: type in {int32, int64} = int32",
    doc: "Numbers of the requested shape, normally distributed within two standard deviations; equal keys and counters give equal numbers.",
    shape: counter_based::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| counter_based::floats(ctx, Distribution::TruncatedNormal)).on("dtype", FLOATS)],
    ..WORDS
};
