//! `Size`: the number of elements.

use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Size(input: T) -> (output: out_type)",
    attrs: "T: type; out_type: type in {int32, int64} = int32",
    doc: "The number of elements of `input`, a scalar.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let y = index_tensor(ctx.node.output_types[0].dtype, Shape::scalar(), &[ctx.input(0)?.num_elements() as i64])?;
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_tensor_has_none_and_a_scalar_one() {
        let size = |x: Tensor| OpTester::new(&OP).input(x).run_one().unwrap().to_scalar::<i32>().unwrap();
        assert_eq!(size(tensor::<f32>(&[2, 0], &[])), 0);
        assert_eq!(size(Tensor::scalar(1u8)), 1);
    }
}
