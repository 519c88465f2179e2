//! `BroadcastGradientArgs`: the dimensions along which gradients of a broadcast are summed.

use super::broadcast_args::shapes;
use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T)",
    attrs: "T: type in {int32, int64} = int32",
    doc: "For inputs of the shapes `s0` and `s1` of an element-wise op, the dimensions of its result along which each was repeated.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

/// The dimensions along which each of the shapes is repeated, ascending.
///
/// Errors: `InvalidArgument` if they cannot be broadcast.
pub(crate) fn repeated(a: &Shape, b: &Shape) -> Result<[Vec<i64>; 2]> {
    let rank = Shape::broadcast(a, b)?.rank();
    let mut repeated = [vec![], vec![]];
    if a == b {
        return Ok(repeated);
    }
    let dim = |s: &Shape, i: usize| (i + s.rank()).checked_sub(rank).map_or(1, |j| s.dims()[j]);
    for i in 0..rank {
        let (x, y) = (dim(a, i), dim(b, i));
        // Where both are 1, summing changes nothing; TF names those dimensions for both.
        if x == 1 {
            repeated[0].push(i as i64);
        }
        if y == 1 {
            repeated[1].push(i as i64);
        }
    }
    Ok(repeated)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = shapes(ctx)?;
    for (i, axes) in repeated(&a, &b)?.iter().enumerate() {
        let y = index_tensor(ctx.node.output_types[i].dtype, Shape::from_lens(&[axes.len()])?, axes)?;
        ctx.set_output(i, y);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 1)?;
    c.with_rank(1, 1)?;
    c.set_output(0, PartialShape::of_rank(1));
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(a: &[i32], b: &[i32]) -> Result<Vec<Vec<i32>>> {
        let vector = |v: &[i32]| tensor(&[v.len() as i64], v);
        let y = OpTester::new(&OP).input(vector(a)).input(vector(b)).run()?;
        y.iter().map(|t| Ok(t.as_slice::<i32>()?.to_vec())).collect()
    }

    #[test]
    fn repeated_dimensions_are_named() {
        assert_eq!(run(&[2, 3], &[3]).unwrap(), [vec![], vec![0]]);
        assert_eq!(run(&[4, 1, 3], &[2, 3]).unwrap(), [vec![1], vec![0]]);
        assert_eq!(run(&[1], &[1]).unwrap(), [vec![0; 0], vec![]]);
        assert_eq!(run(&[0, 3], &[1, 3]).unwrap(), [vec![], vec![0]]);
        assert_eq!(run(&[], &[4]).unwrap(), [vec![0], vec![]]);
        assert_eq!(run(&[2, 3], &[2, 4]).unwrap_err().bare_message(), "Incompatible shapes: [2,3] vs. [2,4]");
    }
}
