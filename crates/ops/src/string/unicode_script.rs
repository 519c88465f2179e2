//! `UnicodeScript`: the scripts of code points.

use super::script_numbers::{INVALID, number};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnicodeScript(input: int32) -> (output: int32)",
    attrs: "",
    doc: "The number that ICU gives to the script of each code point; -1 for numbers that are none.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let points = ctx.input(0)?;
    let script = |&point: &i32| match u32::try_from(point) {
        Ok(point) if point <= 0x10_ffff => number(point),
        _ => INVALID,
    };
    let y = Tensor::from_slice(points.shape().clone(), &points.as_slice::<i32>()?.iter().map(script).collect::<Vec<_>>())?;
    ctx.set_output(0, y);
    Ok(())
}
