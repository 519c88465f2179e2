//! `ShapeN`: the dimensions of each of its inputs.

use super::shape::dims_of;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ShapeN(input: N * T) -> (output: N * out_type)",
    attrs: "N: int >= 1; T: type; out_type: type in {int32, int64} = int32",
    doc: "The dimensions of each input as a vector.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    for i in 0..ctx.num_inputs() {
        let y = dims_of(ctx.input(i)?, ctx.node.output_types[i].dtype)?;
        ctx.set_output(i, y);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 0..c.num_inputs() {
        let rank = c.input(i).rank().map(|r| r as i64);
        c.set_output(i, PartialShape::new(&[rank]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_input_has_its_own_shape() {
        let y = OpTester::new(&OP).input_list([tensor(&[1], &[1f32]), tensor(&[1, 2], &[1f32, 2.0])]).run().unwrap();
        assert_eq!(y[0].as_slice::<i32>().unwrap(), [1]);
        assert_eq!(y[1].as_slice::<i32>().unwrap(), [1, 2]);
    }
}
