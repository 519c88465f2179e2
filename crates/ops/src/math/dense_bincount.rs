//! `DenseBincount`: how often each number occurs, in all or in each row.

use super::counting::{bin_count, counted};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DenseBincount(input: Tidx, size: Tidx, weights: T) -> (output: T)",
    attrs: "Tidx: type in {int32, int64}; T: type in {int32, int64, float, double}; binary_output: bool = false",
    doc: "output[v] or output[b, v] = how often v occurs in the vector input or its row b, or the sum of the weights there; with binary_output whether it occurs.",
    shape: bins_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = ctx.input(0)?;
    let rows = match input.rank() {
        0 | 1 => None,
        2 => Some(input.shape().dim(0)),
        rank => return Err(invalid_argument(format!("Shape must be at most rank 2 but is rank {rank}"))),
    };
    let bins = counted(ctx, rows, ctx.node.attrs.bool("binary_output")?)?;
    ctx.set_output(0, bins);
    Ok(())
}

fn bins_shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 0)?;
    let size = c.constant(1).map(bin_count).transpose()?.map(|n| n as i64);
    let input = c.input(0);
    match input.rank() {
        Some(0 | 1) => c.set_output(0, PartialShape::new(&[size])),
        Some(2) => c.set_output(0, PartialShape::new(&[input.dim(0), size])),
        Some(rank) => return Err(invalid_argument(format!("Shape must be at most rank 2 but is rank {rank}"))),
        None => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(input: Tensor, size: i32, weights: Tensor, binary: bool) -> Result<Tensor> {
        OpTester::new(&OP).input(input).input(size).input(weights).attr("binary_output", binary).run_one()
    }

    #[test]
    fn each_row_is_counted_for_itself() {
        let input = || tensor(&[2, 2], &[1i32, 1, 0, 5]);
        let none = || tensor(&[0], &[] as &[f32]);
        assert_eq!(run(input(), 2, none(), false).unwrap().as_slice::<f32>().unwrap(), [0.0, 2.0, 1.0, 0.0]);
        assert_eq!(run(input(), 2, none(), true).unwrap().as_slice::<f32>().unwrap(), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(run(tensor(&[0, 0], &[] as &[i32]), 5, none(), true).unwrap().dims(), [0, 5]);
    }

    #[test]
    fn negative_sizes_and_weights_of_another_shape_are_refused() {
        let empty = || tensor(&[0, 0], &[] as &[i32]);
        for (size, weights) in [(-5, tensor(&[0], &[] as &[f32])), (5, Tensor::scalar(1f32))] {
            assert_eq!(run(empty(), size, weights, true).unwrap_err().code(), Code::InvalidArgument);
        }
        assert!(run(tensor(&[1], &[-1i32]), 5, tensor(&[0], &[] as &[f32]), false).is_err());
    }
}
