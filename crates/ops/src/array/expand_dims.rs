//! `ExpandDims`: a new dimension of length 1.

use super::dims::reshape_like;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ExpandDims(input: T, dim: Tdim) -> (output: T)",
    attrs: "T: type; Tdim: type in {int32, int64} = int32",
    doc: "The same elements with a dimension of length 1 inserted at `dim`; negative values count from behind the last.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn place(dim: &Tensor, rank: usize) -> Result<usize> {
    if dim.num_elements() != 1 {
        return Err(invalid_argument("'dim' must be a tensor with a single value"));
    }
    let (at, r) = (dim.to_i64()?, rank as i64);
    if !(-r - 1..=r).contains(&at) {
        return Err(invalid_argument(format!("Tried to expand dim index {at} for tensor with {rank} dimensions.")));
    }
    Ok((if at < 0 { at + r + 1 } else { at }) as usize)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let at = place(ctx.input(1)?, ctx.input(0)?.rank())?;
    let x = ctx.take_input(0)?;
    let mut dims = x.dims().to_vec();
    dims.insert(at, 1);
    ctx.set_output(0, x.reshaped(Shape::new(&dims)?)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(0);
    let Some(dims) = s.dims() else { return Ok(()) };
    let Some(dim) = c.constant(1) else {
        c.set_output(0, PartialShape::of_rank(dims.len() + 1));
        return Ok(());
    };
    let at = place(dim, dims.len())?;
    let mut dims = dims.to_vec();
    dims.insert(at, Some(1));
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(reshape_like(&grads.dense(0), &op.input(0)).into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dimension_is_inserted_where_asked() {
        let expand = |dim: i32| OpTester::new(&OP).input(tensor(&[2, 3], &[0f32; 6])).input(Tensor::scalar(dim)).run_one();
        for (dim, dims) in [(0, [1, 2, 3]), (2, [2, 3, 1]), (-1, [2, 3, 1]), (-3, [1, 2, 3]), (1, [2, 1, 3])] {
            assert_eq!(expand(dim).unwrap().dims(), dims);
        }
        assert_eq!(expand(3).unwrap_err().bare_message(), "Tried to expand dim index 3 for tensor with 2 dimensions.");
        assert_eq!(expand(-4).unwrap_err().code(), Code::InvalidArgument);
        let e = OpTester::new(&OP).input(Tensor::scalar(1f32)).input(tensor::<i32>(&[0], &[])).run().unwrap_err();
        assert_eq!(e.bare_message(), "'dim' must be a tensor with a single value");
    }

    #[test]
    fn the_gradient_takes_the_inputs_shape() {
        check_gradient(&[tensor(&[2], &[1f64, 2.0])], |g, x| g.op("ExpandDims").input(&x[0]).input(g.constant(0i32)).build());
    }
}
