//! `ApproximateEqual`: whether elements differ by less than a tolerance.

use super::elementwise::refused;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{BinaryOp, Broadcast, binary};
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ApproximateEqual(x: T, y: T) -> (z: bool)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; tolerance: float = 9.999999747378752e-06",
    flags: "commutative",
    doc: "z = whether |x - y| < tolerance, for tensors of one shape.",
    shape: shape::merged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    ..WORDS
};

/// The distance of an element from 0.
trait Distance {
    fn distance(self) -> f64;
}

macro_rules! distances {
    ($($t:ty)*) => {$(
        impl Distance for $t {
            fn distance(self) -> f64 {
                let x: f64 = self.as_();
                x.abs()
            }
        }
    )*};
}
distances!(f32 f64 half::f16 half::bf16 i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! complex_distances {
    ($($t:ty)*) => {$(
        impl Distance for num_complex::Complex<$t> {
            fn distance(self) -> f64 {
                self.norm().as_()
            }
        }
    )*};
}
complex_distances!(f32 f64);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let tolerance = f64::from(ctx.node.attrs.float("tolerance")?);
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    if x.shape() != y.shape() {
        return Err(invalid_argument(format!("x and y must be of the same shape. x shape: {}. y shape: {}", x.shape(), y.shape())));
    }
    let (dtype, n) = (x.dtype(), x.num_elements());
    let mut z = Tensor::for_overwrite(DType::Bool, x.shape().clone())?;
    let out = z.as_mut_slice::<bool>()?;
    with_numeric!(dtype => T, {
        // In the elements' type, as TF does: what is rounded there is not a difference.
        let mut difference = vec![T::default(); n];
        let plan = Broadcast::same(n);
        binary::<T>(&pool(ctx.step), BinaryOp::Sub, &plan, x.as_slice()?, y.as_slice()?, &mut difference).map_err(|e| refused(e, dtype))?;
        for (z, d) in out.iter_mut().zip(difference) {
            *z = d.distance() < tolerance;
        }
    }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
    ctx.set_output(0, z);
    Ok(())
}
