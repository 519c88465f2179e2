//! `OnesLike`: ones in the shape of its input.

use crate::prelude::*;
use num_traits::One;

pub const OP: OpSpec = OpSpec {
    signature: "OnesLike(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128, bool}",
    doc: "Ones (true) of the type and shape of `x`.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let shape = x.shape().clone();
    let y = with_numeric!(x.dtype() => T, {
        Tensor::build::<T>(shape, |out| {
            out.fill(T::one());
            Ok(())
        })?
    }, else {
        Tensor::build::<bool>(shape, |out| {
            out.fill(true);
            Ok(())
        })?
    });
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_and_shape_are_the_inputs() {
        let y = OpTester::new(&OP).input(tensor(&[2], &[3i8, 4])).run_one().unwrap();
        assert_eq!(y.as_slice::<i8>().unwrap(), [1, 1]);
        let y = OpTester::new(&OP).input(tensor(&[1, 1], &[false])).run_one().unwrap();
        assert_eq!((y.dims(), y.as_slice::<bool>().unwrap()), (&[1i64, 1][..], &[true][..]));
    }
}
