//! `ZerosLike`: zeros in the shape of its input.

use crate::list::variants;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ZerosLike(x: T) -> (y: T)",
    attrs: "T: type",
    doc: "Zeros (false, empty strings) of the type and shape of `x`.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    if x.dtype() == DType::Resource {
        return Err(unsupported("ZerosLike", x.dtype()));
    }
    let y = variants::zeros_like(x)?;
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_and_shape_are_the_inputs() {
        let y = OpTester::new(&OP).input(tensor(&[2], &[3i64, 4])).run_one().unwrap();
        assert_eq!(y.as_slice::<i64>().unwrap(), [0, 0]);
        assert_eq!(OpTester::new(&OP).input("abc").run_one().unwrap().as_strings().unwrap(), [""]);
    }
}
