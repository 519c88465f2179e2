//! `MaxPoolGrad`: the gradient of `MaxPool`.

use super::pooling::{pool_window, pooled};
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::max_pool_grad;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> (output: T)",
    attrs: "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float",
    doc: "output = grad at the first of the largest elements of orig_input under each window, added up.",
    shape: shape::unchanged_with_rank_at_least::<4>,
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let node = ctx.node;
    spread(ctx, &node.attrs)
}

/// The gradient of `MaxPool` with the window that these attributes describe.
///
/// Errors: as `pool_window`; `InvalidArgument` for results of another shape.
pub(super) fn spread(ctx: &mut OpKernelContext, attrs: &AttrMap) -> Result<()> {
    let (x, y, dy) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let window = pool_window(attrs, x.shape())?;
    let wanted = pooled(&window)?;
    for (name, t) in [("orig_output", y), ("grad", dy)] {
        if *t.shape() != wanted {
            return Err(invalid_argument(format!("Expected {name} shape to be {wanted}, but got {}", t.shape())));
        }
    }
    let mut dx = Tensor::for_overwrite(x.dtype(), x.shape().clone())?;
    with_real!(x.dtype() => T, {
        max_pool_grad::<T>(&pool(ctx.step), &window, x.as_slice()?, dy.as_slice()?, dx.as_mut_slice()?);
    }, else { return Err(unsupported("MaxPoolGrad", x.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_are_not_the_pools_are_refused() {
        let zeros = |dims: &[i64]| Tensor::zeros(DType::Float, Shape::new(dims).unwrap()).unwrap();
        let run = |x: &[i64], y: &[i64], dy: &[i64], size: i64| {
            let window = vec![1, size, size, 1];
            OpTester::new(&OP)
                .input(zeros(x))
                .input(zeros(y))
                .input(zeros(dy))
                .attr("ksize", window.clone())
                .attr("strides", window)
                .attr("padding", "VALID")
                .run()
        };
        assert!(run(&[1, 4, 4, 2], &[1, 2, 2, 2], &[1, 2, 2, 2], 2).is_ok());
        // Nothing fits into an empty image, and nothing is looked up in it.
        assert!(run(&[3, 0, 0, 2], &[3, 0, 0, 2], &[3, 0, 0, 2], 16).is_ok());
        for (x, y, dy, size) in [
            (&[1i64, 4, 4, 2][..], &[1i64, 2, 2, 2][..], &[1i64, 3, 2, 2][..], 2),
            (&[1, 4, 4, 2], &[0, 2, 2, 2], &[1, 2, 2, 2], 2),
            (&[4, 4, 2], &[2, 2, 2], &[2, 2, 2], 2),
        ] {
            assert_eq!(run(x, y, dy, size).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
