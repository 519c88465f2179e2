//! `Shape`: the dimensions of its input.

use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Shape(input: T) -> (output: out_type)",
    attrs: "T: type; out_type: type in {int32, int64} = int32",
    doc: "The dimensions of `input` as a vector.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let y = dims_of(ctx.input(0)?, ctx.node.output_types[0].dtype)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The dimensions of `x` as a vector.
///
/// Errors: `InvalidArgument` if one does not fit into `dtype`.
pub(crate) fn dims_of(x: &Tensor, dtype: DType) -> Result<Tensor> {
    index_tensor(dtype, Shape::from_lens(&[x.rank()])?, x.dims())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = c.input(0).rank().map(|r| r as i64);
    c.set_output(0, PartialShape::new(&[rank]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_come_as_either_integer() {
        let y = OpTester::new(&OP).input(tensor::<f32>(&[2, 0], &[])).run_one().unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [2, 0]);
        let y = OpTester::new(&OP).input(strings(&[], &["a"])).attr("out_type", DType::Int64).run_one().unwrap();
        assert_eq!(y.as_slice::<i64>().unwrap(), [0i64; 0]);
    }
}
