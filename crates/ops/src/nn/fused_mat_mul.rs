//! `_FusedMatMul`: a matrix product with what follows it, as a TensorFlow master's optimiser joins them.

use super::fusion::apply_fused;
use crate::math::matrix_product::{product, product_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_FusedMatMul(a: T, b: T, args: num_args * T) -> (product: T)",
    attrs: "transpose_a: bool = false; transpose_b: bool = false; T: type in {bfloat16, half, float}; num_args: int >= 0; fused_ops: list(string) = []; epsilon: float = 9.999999747378752e-05; leakyrelu_alpha: float = 0.20000000298023224",
    doc: "product = the ops of fused_ops, one after the other, on a b: BiasAdd with the first of args, then one of Relu, Relu6, Elu, LeakyRelu, Tanh, Sigmoid.",
    shape: product_shape,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let c = product(ctx, attrs.bool("transpose_a")?, attrs.bool("transpose_b")?)?;
    let c = apply_fused(ctx, c)?;
    ctx.set_output(0, c);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::AttrValue;

    fn run(fused: &[&str]) -> Result<Tensor> {
        let fused: Vec<String> = fused.iter().map(|s| s.to_string()).collect();
        OpTester::new(&OP)
            .input(tensor(&[1, 2], &[1f32, 2.0]))
            .input(tensor(&[2, 2], &[1f32, -1.0, 1.0, -1.0]))
            .input_list([tensor(&[2], &[0.5f32, 0.5])])
            .attr("fused_ops", AttrValue::from(fused))
            .attr("leakyrelu_alpha", 0.5f32)
            .run_one()
    }

    #[test]
    fn what_is_fused_is_applied_in_order() {
        assert_eq!(run(&["BiasAdd"]).unwrap().as_slice::<f32>().unwrap(), [3.5, -2.5]);
        assert_eq!(run(&["BiasAdd", "Relu"]).unwrap().as_slice::<f32>().unwrap(), [3.5, 0.0]);
        assert_eq!(run(&["BiasAdd", "LeakyRelu"]).unwrap().as_slice::<f32>().unwrap(), [3.5, -1.25]);
        assert_eq!(run(&["Fourier"]).unwrap_err().code(), Code::Unimplemented);
    }
}
