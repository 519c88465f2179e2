//! `_FusedConv2D`: a convolution with what follows it, as a TensorFlow master's optimiser joins them.

use super::convolution::{convolved, convolved_shape};
use super::fusion::apply_fused;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_FusedConv2D(input: T, filter: T, args: TArgs, host_args: num_host_args * float) -> (output: T)",
    attrs: "T: type in {half, float, double, int8, qint8}; TArgs: list(type) >= 1; num_args: int >= 0; num_host_args: int >= 0 = 0; strides: list(int); padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"; filter_format: string in {\"HWIO\", \"OIHW\", \"OIHW_VECT_I\"} = \"HWIO\"; dilations: list(int) = [1, 1, 1, 1]; use_cudnn_on_gpu: bool = true; fused_ops: list(string) = []; epsilon: float = 9.999999747378752e-05; leakyrelu_alpha: float = 0.20000000298023224",
    doc: "output = the ops of fused_ops, one after the other, on the convolution of input with filter: BiasAdd with the first of args, then one of Relu, Relu6, Elu, LeakyRelu, Tanh, Sigmoid.",
    shape: convolved_shape,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let format = ctx.node.attrs.str("filter_format")?;
    if format != "HWIO" {
        return Err(unimplemented(format!("filters in {format} have no CPU kernel, only in HWIO")));
    }
    let y = convolved(ctx)?;
    let y = apply_fused(ctx, y)?;
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::AttrValue;

    #[test]
    fn a_bias_and_a_function_follow_the_convolution() {
        let fused: Vec<String> = ["BiasAdd", "Relu"].map(String::from).to_vec();
        let y = OpTester::new(&OP)
            .input(tensor(&[1, 1, 2, 1], &[1f32, -4.0]))
            .input(tensor(&[1, 1, 1, 1], &[2f32]))
            .input_list([tensor(&[1], &[0.5f32])])
            .input_list([])
            .attr("num_args", 1i64)
            .attr("num_host_args", 0i64)
            .attr("strides", vec![1i64; 4])
            .attr("padding", "VALID")
            .attr("fused_ops", AttrValue::from(fused))
            .run_one()
            .unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [2.5, 0.0]);
    }
}
