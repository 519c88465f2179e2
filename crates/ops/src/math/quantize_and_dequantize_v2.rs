//! `QuantizeAndDequantizeV2`: numbers that lose what a quantized type cannot hold.

use super::quantize_dequantize::{Quantizer, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "QuantizeAndDequantizeV2(input: T, input_min: T, input_max: T) -> (output: T)",
    attrs: "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; T: type in {bfloat16, half, float, double}; round_mode: string in {\"HALF_TO_EVEN\", \"HALF_UP\"} = \"HALF_TO_EVEN\"; narrow_range: bool = false; axis: int = -1",
    doc: "Numbers rounded to the steps of an integer of num_bits over the range that is given or found.",
    shape,
    kernels: &[Kernel::cpu(|ctx| Quantizer::of(&ctx.node.attrs, ctx.node.attrs.int("num_bits")?)?.compute(ctx)).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
