//! `BroadcastArgs`: the shape that two shapes broadcast to.

use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BroadcastArgs(s0: T, s1: T) -> (r0: T)",
    attrs: "T: type in {int32, int64} = int32",
    doc: "The shape, as a vector, of the element-wise result for inputs of the shapes `s0` and `s1`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

/// The shapes that both inputs denote.
///
/// Errors: `InvalidArgument` if one is no vector or has a negative dimension.
pub(crate) fn shapes(ctx: &OpKernelContext) -> Result<(Shape, Shape)> {
    let one = |i: usize| {
        let t = ctx.input(i)?;
        if t.rank() != 1 {
            return Err(invalid_argument(format!("In[{i}] must be a vector.{}", t.shape())));
        }
        Shape::new(&t.to_i64s()?)
    };
    Ok((one(0)?, one(1)?))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = shapes(ctx)?;
    let both = Shape::broadcast(&a, &b)?;
    let y = index_tensor(ctx.node.output_types[0].dtype, Shape::from_lens(&[both.rank()])?, both.dims())?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (a, b) = (c.with_rank(0, 1)?.dim(0), c.with_rank(1, 1)?.dim(0));
    c.set_output(0, PartialShape::new(&[a.zip(b).map(|(a, b)| a.max(b))]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_broadcast_as_tensors_do() {
        let run = |a: &[i32], b: &[i32]| {
            let vector = |v: &[i32]| tensor(&[v.len() as i64], v);
            OpTester::new(&OP).input(vector(a)).input(vector(b)).run_one()
        };
        assert_eq!(run(&[2, 1], &[3]).unwrap().as_slice::<i32>().unwrap(), [2, 3]);
        assert_eq!(run(&[], &[0]).unwrap().as_slice::<i32>().unwrap(), [0]);
        assert_eq!(run(&[2, 3], &[2, 4]).unwrap_err().bare_message(), "Incompatible shapes: [2,3] vs. [2,4]");
        assert_eq!(run(&[-2], &[1]).unwrap_err().code(), Code::InvalidArgument);
    }
}
