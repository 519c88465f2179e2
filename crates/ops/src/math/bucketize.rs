//! `Bucketize`: which of the ranges between boundaries each element falls into.

use crate::prelude::*;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "Bucketize(input: T) -> (output: int32)",
    attrs: "T: type in {int32, int64, float, double}; boundaries: list(float)",
    doc: "output = how many of the ascending boundaries are not above the element of input.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let boundaries = ctx.node.attrs.floats("boundaries")?;
    if !boundaries.is_sorted() {
        return Err(invalid_argument("Expected sorted boundaries"));
    }
    let x = ctx.input(0)?;
    let mut y = Tensor::for_overwrite(DType::Int32, x.shape().clone())?;
    let out = y.as_mut_slice::<i32>()?;
    ferroflow_tensor::dispatch!(x.dtype(), [i32, i64, f32, f64] => T, {
        for (y, &x) in out.iter_mut().zip(x.as_slice::<T>()?) {
            let x: f64 = x.as_();
            // NaN is above all boundaries, as it is for a search that asks whether it is below one.
            *y = boundaries.partition_point(|&b| x.is_nan() || f64::from(b) <= x) as i32;
        }
    }, else { return Err(unsupported("Bucketize", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boundary_belongs_to_the_upper_range() {
        let tester = OpTester::new(&OP).input(tensor(&[4], &[-1f32, 0.0, 5.0, 10.0])).attr("boundaries", vec![0f32, 10.0]);
        assert_eq!(tester.run_one().unwrap().as_slice::<i32>().unwrap(), [0, 1, 1, 2]);
    }
}
