//! `Pad`: zeros around a tensor.

use super::padding;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Pad(input: T, paddings: Tpaddings) -> (output: T)",
    attrs: "T: type; Tpaddings: type in {int32, int64} = int32",
    doc: "`input` with `paddings[i, 0]` zeros before and `paddings[i, 1]` behind it along each dimension `i`.",
    shape: padding::infer,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let zero = Tensor::zeros(x.dtype(), Shape::scalar())?;
    let y = padding::pad(x, ctx.input(1)?, &zero)?;
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(padding::gradient_of_input(op, grads)?), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pad(x: Tensor, dims: &[i64], paddings: &[i32]) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(tensor(dims, paddings)).run_one()
    }

    #[test]
    fn zeros_surround_the_input() {
        let y = pad(tensor(&[2, 2], &[1i32, 2, 3, 4]), &[2, 2], &[1, 0, 0, 1]).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[3i64, 3][..], &[0, 0, 0, 1, 2, 0, 3, 4, 0][..]));
        assert_eq!(pad(Tensor::scalar(1f32), &[0, 2], &[]).unwrap().rank(), 0);
        assert_eq!(pad(tensor::<f32>(&[0], &[]), &[1, 2], &[1, 1]).unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0]);
        assert_eq!(pad(strings(&[1], &["a"]), &[1, 2], &[1, 0]).unwrap().as_strings().unwrap(), ["", "a"]);
    }

    #[test]
    fn margins_that_do_not_fit_are_refused() {
        let x = || tensor(&[2], &[1f32, 2.0]);
        assert_eq!(pad(x(), &[1, 2], &[-1, 0]).unwrap_err().bare_message(), "Paddings must be non-negative: -1 0");
        assert_eq!(pad(x(), &[2], &[0, 0]).unwrap_err().bare_message(), "paddings must be a matrix with 2 columns: [2]");
        let e = pad(x(), &[2, 2], &[0; 4]).unwrap_err();
        assert_eq!(e.bare_message(), "The first dimension of paddings must be the rank of inputs[2,2] [2]");
        let e = OpTester::new(&OP).input(x()).input(tensor(&[1, 2], &[i64::MAX, 1])).run().unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_is_cut_out() {
        check_gradient(&[tensor(&[2, 1], &[1f64, 2.0])], |g, x| {
            let paddings = g.constant_tensor(tensor(&[2, 2], &[1i32, 0, 2, 1]));
            g.op("Pad").inputs([x[0].clone(), paddings]).build()
        });
    }
}
