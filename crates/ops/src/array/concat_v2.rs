//! `ConcatV2`: tensors one behind the other along an axis.

use super::joined_rows;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ConcatV2(values: N * T, axis: Tidx) -> (output: T)",
    attrs: "N: int >= 2; T: type; Tidx: type in {int32, int64} = int32",
    doc: "The values one behind the other along `axis`; all other dimensions must agree.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let n = ctx.num_inputs() - 1;
    joined_rows::concat(ctx, 0..n, n, "axis")
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.num_inputs().saturating_sub(1);
    joined_rows::infer(c, 0..n, n)
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let n = op.num_inputs() - 1;
    joined_rows::gradient(op, grads, 0..n, n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concat(values: Vec<Tensor>, axis: i32) -> Result<Tensor> {
        OpTester::new(&OP).input_list(values).input(axis).run_one()
    }

    #[test]
    fn values_follow_each_other_along_the_axis() {
        let a = tensor(&[2, 1], &[1f32, 2.0]);
        let b = tensor(&[2, 2], &[3f32, 4.0, 5.0, 6.0]);
        let y = concat(vec![a.clone(), b], -1).unwrap();
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[2i64, 3][..], &[1f32, 3.0, 4.0, 2.0, 5.0, 6.0][..]));
        let y = concat(vec![a.clone(), a], 0).unwrap();
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[4i64, 1][..], &[1f32, 2.0, 1.0, 2.0][..]));
        let y = concat(vec![strings(&[1], &["a"]), strings(&[0], &[]), strings(&[1], &["b"])], 0).unwrap();
        assert_eq!(y.as_strings().unwrap(), ["a", "b"]);
    }

    #[test]
    fn the_only_full_value_is_passed_on() {
        let a = tensor(&[2], &[1u8, 2]);
        let y = concat(vec![tensor::<u8>(&[0], &[]), a.clone()], 0).unwrap();
        assert_eq!(y.as_slice::<u8>().unwrap().as_ptr(), a.as_slice::<u8>().unwrap().as_ptr());
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let a = tensor(&[2, 1], &[1f32, 2.0]);
        for (other, axis) in [(tensor(&[3, 1], &[0f32; 3]), 1), (tensor(&[2], &[0f32; 2]), 0), (a.clone(), 2), (a.clone(), -3)] {
            assert_eq!(concat(vec![a.clone(), other], axis).unwrap_err().code(), Code::InvalidArgument);
        }
        assert_eq!(concat(vec![Tensor::scalar(1f32), Tensor::scalar(2f32)], 0).unwrap_err().code(), Code::InvalidArgument);
        let e = OpTester::new(&OP).input_list([a.clone(), a]).input(tensor::<i32>(&[0], &[])).run().unwrap_err();
        assert_eq!(e.bare_message(), "axis tensor should be a scalar integer, but got shape [0]");
    }

    #[test]
    fn the_gradient_is_cut_into_the_values_shapes() {
        check_gradient(&[tensor(&[2, 1], &[1f64, 2.0]), tensor(&[2, 2], &[3f64, 4.0, 5.0, 6.0])], |g, x| {
            g.op("ConcatV2").input_list(x.to_vec()).input(g.constant(-1i32)).build()
        });
    }
}
