//! `BatchMatMulV3`: the products of two batches of matrices, of possibly different types.

use super::matrix_product::{Batches, batch_product, batch_product_gradient, batch_product_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchMatMulV3(x: Ta, y: Tb) -> (output: Tout)",
    attrs: "Ta: type in {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}; Tb: type in {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}; Tout: type in {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false",
    doc: "output[b..., :, :] = x[b..., :, :] y[b..., :, :] in type Tout, either of them adjoint first if asked for; batch dimensions are broadcast. On the CPU all three types must be equal.",
    shape: batch_product_shape,
    gradient: Gradient::Of(batch_product_gradient),
    kernels: &[Kernel::cpu(compute).on("Ta", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, y, out) = (ctx.input(0)?.dtype(), ctx.input(1)?.dtype(), ctx.node.attrs.dtype("Tout")?);
    if x != y || x != out {
        return Err(unimplemented(format!("a product of {x} and {y} in {out} has no CPU kernel")));
    }
    batch_product(ctx, Batches::Broadcast)
}
