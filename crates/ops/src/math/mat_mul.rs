//! `MatMul`: the product of two matrices.

use super::matrix_product::{product, product_gradient, product_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatMul(a: T, b: T) -> (product: T)",
    attrs: "transpose_a: bool = false; transpose_b: bool = false; T: type in {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}; grad_a: bool = false; grad_b: bool = false",
    doc: "product = a b, of matrices [m, k] and [k, n], either of them transposed first if asked for.",
    shape: product_shape,
    gradient: Gradient::Of(product_gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let c = product(ctx, attrs.bool("transpose_a")?, attrs.bool("transpose_b")?)?;
    ctx.set_output(0, c);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(a: Tensor, b: Tensor) -> Result<Tensor> {
        OpTester::new(&OP).input(a).input(b).run_one()
    }

    #[test]
    fn rows_meet_columns() {
        let y = run(tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]), tensor(&[2, 1], &[10f32, 1.0])).unwrap();
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[2i64, 1][..], &[12f32, 34.0][..]));
        let y = run(tensor(&[2, 0], &[] as &[f64]), tensor(&[0, 2], &[] as &[f64])).unwrap();
        assert_eq!(y.as_slice::<f64>().unwrap(), [0.0; 4]);
    }

    #[test]
    fn matrices_that_do_not_fit_are_named() {
        let a = || tensor(&[2, 3], &[0f32; 6]);
        let message = |a, b| run(a, b).unwrap_err().bare_message().to_owned();
        assert_eq!(message(a(), a()), "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
        assert_eq!(message(a(), tensor(&[3], &[0f32; 3])), "In[0] and In[1] has different ndims: [2,3] vs. [3]");
    }
}
