//! `Atan2`: the angle of a point, with broadcasting.

use super::backward::{apply, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Atan2(y: T, x: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "z = arctan(y / x) in the quadrant of the point (x, y), with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let (y, x) = (&p.x, &p.y);
            let scaled = &p.dz / (apply("Square", &[x]) + apply("Square", &[y]));
            (x * &scaled, -(y * &scaled))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Atan2)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
