//! `SparseMatMul`: the product of two matrices with many zeros.

use super::backward::{apply, flags};
use super::matrix_product::product_shape;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{MatrixRef, cast, matmul};
use half::bf16;

pub const OP: OpSpec = OpSpec {
    signature: "SparseMatMul(a: Ta, b: Tb) -> (product: float)",
    attrs: "transpose_a: bool = false; transpose_b: bool = false; a_is_sparse: bool = false; b_is_sparse: bool = false; Ta: type in {float, bfloat16} = float; Tb: type in {float, bfloat16} = float",
    doc: "product = a b, of matrices [m, k] and [k, n] of type float or bfloat16, either of them transposed first if asked for. That there are many zeros is not made use of.",
    shape: product_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// The elements as float.
fn floats(t: &Tensor) -> Result<Vec<f32>> {
    if t.dtype() == DType::Float {
        return Ok(t.as_slice::<f32>()?.to_vec());
    }
    let mut wide = vec![0f32; t.num_elements()];
    cast(t.as_slice::<bf16>()?, &mut wide);
    Ok(wide)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (transpose_a, transpose_b) = (ctx.node.attrs.bool("transpose_a")?, ctx.node.attrs.bool("transpose_b")?);
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    for (name, t) in [("a", a), ("b", b)] {
        if t.rank() != 2 {
            return Err(invalid_argument(format!("{name} is not a matrix, its shape is {}", t.shape())));
        }
    }
    let (sa, sb) = (a.shape(), b.shape());
    let (wide_a, wide_b) = (floats(a)?, floats(b)?);
    let left = MatrixRef::new(&wide_a, sa.dim(0), sa.dim(1)).transposed_if(transpose_a);
    let right = MatrixRef::new(&wide_b, sb.dim(0), sb.dim(1)).transposed_if(transpose_b);
    if left.cols() != right.rows() {
        return Err(invalid_argument(format!("Matrix size incompatible: a: {sa}, b: {sb}")));
    }
    let mut c = Tensor::for_overwrite(DType::Float, Shape::from_lens(&[left.rows(), right.cols()])?)?;
    matmul(&pool(ctx.step), left, right, c.as_mut_slice()?, false);
    ctx.set_output(0, c);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (ta, tb) = flags(op, "transpose_a", "transpose_b")?;
    let wide = |x: &Output| op.graph().op("Cast").input(x).attr("DstT", DType::Float).output();
    let narrow = |x: Output, like: &Output| op.graph().op("Cast").input(x).attr("DstT", like.dtype()).output();
    let (a, b, dz) = (op.input(0), op.input(1), grads.dense(0));
    let (wa, wb) = (wide(&a), wide(&b));
    let flipped = |x: &Output, flip: bool| if flip { apply("Transpose", &[x, &op.graph().constant_vector(&[1i32, 0])]) } else { x.clone() };
    // With a and b as they take part: da = dz b^T, db = a^T dz; each is flipped back where the argument was flipped.
    let times = |x: &Output, y: &Output, tx: bool, ty: bool| {
        op.graph().op("MatMul").input(x).input(y).attr("transpose_a", tx).attr("transpose_b", ty).output()
    };
    let (da, db) = (times(&dz, &wb, false, !tb), times(&wa, &dz, !ta, false));
    Ok(vec![Some(narrow(flipped(&da, ta), &a).into()), Some(narrow(flipped(&db, tb), &b).into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_may_differ() {
        let a = tensor(&[1, 2], &[bf16::from_f32(2.0), bf16::from_f32(3.0)]);
        let tester = OpTester::new(&OP).input(a).input(tensor(&[1, 2], &[10f32, 1.0])).attr("transpose_b", true);
        assert_eq!(tester.run_one().unwrap().as_slice::<f32>().unwrap(), [23.0]);
    }
}
