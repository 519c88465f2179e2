//! `Split`: a tensor cut into equal pieces along an axis.

use super::dims::with_dim;
use super::split_pieces;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Split(split_dim: int32, value: T) -> (output: num_split * T)",
    attrs: "num_split: int >= 1; T: type",
    doc: "`value` cut into `num_split` equal pieces along `split_dim`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (at, x) = (ctx.input(0)?, ctx.input(1)?.clone());
    if !at.shape().is_scalar() {
        return Err(invalid_argument(format!("split_dim must be a scalar but has rank {}", at.rank())));
    }
    let axis = split_pieces::axis(at.to_i64()?, x.rank())?;
    let num = ctx.node.output_types.len() as i64;
    let size = piece(x.dims()[axis], num, axis)?;
    split_pieces::cut(ctx, &x, axis, &vec![size; num as usize])
}

fn piece(dim: i64, num: i64, axis: usize) -> Result<i64> {
    if num < 1 || dim % num != 0 {
        return Err(invalid_argument(format!(
            "Number of ways to split should evenly divide the split dimension, but got split_dim {axis} (size = {dim}) and num_split {num}"
        )));
    }
    Ok(dim / num)
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(1);
    let num = c.node().output_types.len();
    let Some(rank) = s.rank() else { return Ok(()) };
    let s = match c.constant(0) {
        None => PartialShape::of_rank(rank),
        Some(at) => {
            let axis = split_pieces::axis(at.to_i64()?, rank)?;
            let size = s.dim(axis).map(|d| piece(d, num as i64, axis)).transpose()?;
            with_dim(&s, axis, size)
        }
    };
    for i in 0..num {
        c.set_output(i, s.clone());
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let parts = (0..op.num_outputs()).map(|i| grads.dense(i));
    if op.num_outputs() == 1 {
        return Ok(vec![None, Some(grads.dense(0).into())]);
    }
    Ok(vec![None, Some(op.graph().op("ConcatV2").input_list(parts).input(op.input(0)).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(axis: i32, x: Tensor, num: i64) -> Result<Vec<Tensor>> {
        OpTester::new(&OP).input(axis).input(x).attr("num_split", num).run()
    }

    #[test]
    fn pieces_are_equal_and_share_memory_along_the_first_axis() {
        let x = tensor(&[2, 4], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let y = split(0, x.clone(), 2).unwrap();
        assert_eq!(y[1].as_slice::<f32>().unwrap().as_ptr(), x.as_slice::<f32>().unwrap()[4..].as_ptr());
        let y = split(-1, x.clone(), 2).unwrap();
        assert_eq!((y[1].dims(), y[1].as_slice::<f32>().unwrap()), (&[2i64, 2][..], &[3f32, 4.0, 7.0, 8.0][..]));
        assert_eq!(split(1, x.clone(), 3).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(split(2, x, 1).unwrap_err().bare_message(), "-input rank(-2) <= split_dim < input rank (2), but got 2");
        assert_eq!(split(0, Tensor::scalar(1f32), 1).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(split(1, tensor::<f32>(&[0, 2], &[]), 2).unwrap()[1].dims(), [0, 1]);
    }

    #[test]
    fn the_gradient_is_joined() {
        check_gradient(&[tensor(&[2, 2], &[1f64, 2.0, 3.0, 4.0])], |g, x| {
            g.op("Split").input(g.constant(1i32)).input(&x[0]).attr("num_split", 2i64).build()
        });
    }
}
