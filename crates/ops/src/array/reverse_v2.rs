//! `ReverseV2`: some dimensions backwards.

use super::strided::StridedView;
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReverseV2(tensor: T, axis: Tidx) -> (output: T)",
    attrs: "Tidx: type in {int32, int64} = int32; T: type in {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, \
            half, float, double, complex64, complex128, string}",
    doc: "`tensor` with the order of elements along each dimension of `axis` reversed.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn axes(axis: &Tensor, rank: usize) -> Result<Vec<usize>> {
    if axis.rank() != 1 {
        return Err(invalid_argument(format!("'dims' must be 1-dimension, not {}", axis.rank())));
    }
    let mut axes = Vec::new();
    for (i, &a) in axis.to_i64s()?.iter().enumerate() {
        let at = super::dims::axis_in(a, rank)
            .map_err(|_| invalid_argument(format!("'axis'[{i}] = {a} is out of valid range [0, {}", rank as i64 - 1)))?;
        if axes.contains(&at) {
            return Err(invalid_argument(format!("axis {at} specified more than once.")));
        }
        axes.push(at);
    }
    Ok(axes)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let axes = axes(ctx.input(1)?, x.rank())?;
    if axes.iter().all(|&a| x.dims()[a] <= 1) {
        return ctx.pass_on(0, 0);
    }
    let mut view = StridedView::of(x.dims());
    for axis in axes {
        view.offset += view.strides[axis] * (view.dims[axis] as isize - 1).max(0);
        view.strides[axis] = -view.strides[axis];
    }
    let y = view.copy(x, x.shape().clone(), &pool(ctx.step))?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 1)?;
    let s = c.input(0);
    if let (Some(axis), Some(rank)) = (c.constant(1), s.rank()) {
        axes(axis, rank)?;
    }
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(op.graph().op("ReverseV2").inputs([grads.dense(0), op.input(1)]).output().into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reverse(axis: &[i32]) -> Result<Tensor> {
        let x = tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
        OpTester::new(&OP).input(x).input(tensor(&[axis.len() as i64], axis)).run_one()
    }

    #[test]
    fn each_named_dimension_is_reversed() {
        assert_eq!(reverse(&[0]).unwrap().as_slice::<i32>().unwrap(), [4, 5, 6, 1, 2, 3]);
        assert_eq!(reverse(&[-1, 0]).unwrap().as_slice::<i32>().unwrap(), [6, 5, 4, 3, 2, 1]);
        assert_eq!(reverse(&[]).unwrap().as_slice::<i32>().unwrap(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(reverse(&[2]).unwrap_err().bare_message(), "'axis'[0] = 2 is out of valid range [0, 1");
        assert_eq!(reverse(&[0, -2]).unwrap_err().bare_message(), "axis 0 specified more than once.");
    }

    #[test]
    fn the_gradient_is_reversed_back() {
        check_gradient(&[tensor(&[3], &[1f64, 2.0, 3.0])], |g, x| {
            g.op("ReverseV2").inputs([x[0].clone(), g.constant_vector(&[0i32])]).build()
        });
    }
}
