//! `Transpose`: the dimensions in another order.

use super::strided::{StridedView, row_major};
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Transpose(x: T, perm: Tperm) -> (y: T)",
    attrs: "T: type; Tperm: type in {int32, int64} = int32",
    doc: "`x` with dimension `perm[i]` as dimension `i`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The permutation, checked; negative numbers count from the end.
///
/// Errors: `InvalidArgument` if it is none of `0..rank`.
pub(crate) fn permutation(perm: &[i64], rank: usize) -> Result<Vec<usize>> {
    let mut seen = vec![false; rank];
    let mut out = Vec::with_capacity(rank);
    for &p in perm {
        let at = if p < 0 { p.saturating_add(rank as i64) } else { p };
        match usize::try_from(at).ok().filter(|&p| p < rank) {
            Some(p) => {
                seen[p] = true;
                out.push(p);
            }
            None => return Err(invalid_argument(format!("{p} is out of range [0 .. {rank})"))),
        }
    }
    if let Some(missing) = seen.iter().position(|s| !s) {
        let perm: Vec<String> = perm.iter().map(i64::to_string).collect();
        return Err(invalid_argument(format!("{missing} is missing from {{{}}}.", perm.join(","))));
    }
    Ok(out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let y = transposed(ctx)?;
    ctx.set_output(0, y);
    Ok(())
}

/// Input 0 with its dimensions in the order of input 1.
///
/// Errors: `InvalidArgument` if that is no permutation of them.
pub(crate) fn transposed(ctx: &OpKernelContext) -> Result<Tensor> {
    let (x, perm) = (ctx.input(0)?, ctx.input(1)?);
    if perm.rank() != 1 {
        return Err(invalid_argument(format!("perm must be rank 1, got shape {}", perm.shape())));
    }
    if perm.num_elements() != x.rank() {
        return Err(invalid_argument(format!(
            "transpose expects a vector of size {}. But input(1) is a vector of size {}",
            x.rank(),
            perm.num_elements()
        )));
    }
    let perm = permutation(&perm.to_i64s()?, x.rank())?;
    let dims: Vec<i64> = perm.iter().map(|&p| x.dims()[p]).collect();
    let shape = Shape::new(&dims)?;
    // Dimensions of length 1 may go anywhere without moving an element.
    if perm.iter().filter(|&&p| x.dims()[p] != 1).is_sorted() {
        return x.clone().reshaped(shape);
    }
    let strides = row_major(x.dims());
    let view =
        StridedView { offset: 0, dims: dims.iter().map(|&d| d as usize).collect(), strides: perm.iter().map(|&p| strides[p]).collect() };
    view.copy(x, shape, &pool(ctx.step))
}

/// The shape function.
///
/// Errors: `InvalidArgument` for shapes that cannot be right.
pub(crate) fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = match c.with_rank(1, 1)?.dim(0) {
        Some(n) => c.with_rank(0, n as usize)?,
        None => c.input(0),
    };
    let Some(dims) = s.dims() else { return Ok(()) };
    let out = match c.constant(1) {
        None => vec![None; dims.len()],
        Some(perm) => permutation(&perm.to_i64s()?, dims.len())?.into_iter().map(|p| dims[p]).collect(),
    };
    c.set_output(0, PartialShape::new(&out));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let back = g.op("InvertPermutation").input(op.input(1)).output();
    Ok(vec![Some(g.op("Transpose").inputs([grads.dense(0), back]).output().into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transpose(x: Tensor, perm: &[i32]) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(tensor(&[perm.len() as i64], perm)).run_one()
    }

    #[test]
    fn dimensions_change_places() {
        let y = transpose(tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]), &[1, 0]).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[3i64, 2][..], &[1, 4, 2, 5, 3, 6][..]));
        let y = transpose(tensor(&[2, 1, 2], &[1u8, 2, 3, 4]), &[2, 0, 1]).unwrap();
        assert_eq!((y.dims(), y.as_slice::<u8>().unwrap()), (&[2i64, 2, 1][..], &[1, 3, 2, 4][..]));
        assert_eq!(transpose(Tensor::scalar(1f32), &[]).unwrap().rank(), 0);
        let x = tensor(&[1, 8], &[0f32; 8]);
        let y = transpose(x.clone(), &[1, 0]).unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap().as_ptr(), x.as_slice::<f32>().unwrap().as_ptr());
    }

    #[test]
    fn what_is_no_permutation_is_refused() {
        let x = || tensor(&[2, 3], &[0f32; 6]);
        assert_eq!(transpose(x(), &[0, 0]).unwrap_err().bare_message(), "1 is missing from {0,0}.");
        assert_eq!(transpose(x(), &[0, 2]).unwrap_err().bare_message(), "2 is out of range [0 .. 2)");
        assert_eq!(transpose(x(), &[-3, 0]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(transpose(x(), &[-1, 0]).unwrap().dims(), [3, 2]);
        assert_eq!(transpose(x(), &[0]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_is_transposed_back() {
        check_gradient(&[tensor(&[2, 1, 3], &[1f64, 2.0, 3.0, 4.0, 5.0, 6.0])], |g, x| {
            g.op("Transpose").inputs([x[0].clone(), g.constant_vector(&[2i32, 0, 1])]).build()
        });
    }
}
