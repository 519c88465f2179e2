//! `Maximum`: the larger one, with broadcasting.

use super::backward::{apply, of_two, where_false, where_true};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Maximum(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}",
    doc: "z = the larger of x and y, with broadcasting; NaN if one is NaN.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let x_wins = apply("GreaterEqual", &[&p.x, &p.y]);
            (where_true(&x_wins, &p.dz), where_false(&x_wins, &p.dz))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Maximum)).on("T", REAL)],
    ..WORDS
};
