//! `BatchMatMul`: the products of two equal batches of matrices.

use super::matrix_product::{Batches, batch_product, batch_product_gradient, batch_product_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchMatMul(x: T, y: T) -> (output: T)",
    attrs: "T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false",
    doc: "output[b..., :, :] = x[b..., :, :] y[b..., :, :], either of them adjoint first if asked for.",
    shape: batch_product_shape,
    gradient: Gradient::Of(batch_product_gradient),
    kernels: &[Kernel::cpu(|ctx| batch_product(ctx, Batches::Equal)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
