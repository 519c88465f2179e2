//! `Conv2D`: convolution of images with a filter.

use super::convolution::{CONVOLVED, convolved, convolved_shape};
use super::sliding_window::sliding_like;
use crate::array::dims::shape_of;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Conv2D(input: T, filter: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
    doc: "output[b, i, j, k] = the sum over rows, columns and depth of input[b, i stride + r, j stride + c, d] filter[r, c, d, k].",
    shape: convolved_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", CONVOLVED)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let y = convolved(ctx)?;
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, filter, dy) = (op.input(0), op.input(1), grads.dense(0));
    let dx = sliding_like(op, "Conv2DBackpropInput", [shape_of(&x), filter.clone(), dy.clone()]);
    let df = sliding_like(op, "Conv2DBackpropFilter", [x, shape_of(&filter), dy]);
    Ok(vec![Some(dx.into()), Some(df.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_image_with_padding_gives_zeros() {
        let y = OpTester::new(&OP)
            .input(tensor(&[1, 0, 2, 1], &[] as &[f32]))
            .input(tensor(&[1, 1, 1, 1], &[1f32]))
            .attr("strides", vec![1i64; 4])
            .attr("padding", "EXPLICIT")
            .attr("explicit_paddings", vec![0i64, 0, 1, 1, 1, 1, 0, 0])
            .run_one()
            .unwrap();
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[1i64, 2, 4, 1][..], &[0f32; 8][..]));
    }

    #[test]
    fn strides_below_one_are_refused() {
        let run = |strides: Vec<i64>| {
            let (x, filter) = (tensor(&[1, 1, 1, 1], &[1f32]), tensor(&[1, 1, 1, 1], &[1f32]));
            OpTester::new(&OP).input(x).input(filter).attr("strides", strides).attr("padding", "VALID").run()
        };
        for bad in [vec![1i64, 0, 1, 1], vec![1, -1, 1, 1], vec![1, 1], vec![], vec![1, i64::MAX, 1, 1]] {
            assert_eq!(run(bad).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
