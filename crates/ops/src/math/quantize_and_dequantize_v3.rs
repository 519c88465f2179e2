//! `QuantizeAndDequantizeV3`: numbers that lose what a quantized type cannot hold; how many bits it has is an input.

use super::quantize_dequantize::{Quantizer, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "QuantizeAndDequantizeV3(input: T, input_min: T, input_max: T, num_bits: int32) -> (output: T)",
    attrs: "signed_input: bool = true; range_given: bool = true; T: type in {bfloat16, half, float, double}; narrow_range: bool = false; axis: int = -1",
    doc: "Numbers rounded to the steps of an integer of num_bits over the range that is given or found.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let bits = ctx.input(3)?;
    if bits.num_elements() != 1 {
        return Err(invalid_argument(format!("num_bits must be a scalar, got shape {}", bits.shape())));
    }
    Quantizer::of(&ctx.node.attrs, bits.to_i64s()?[0])?.compute(ctx)
}
