//! `Lu`: the triangular factors of matrices whose rows have changed places.

use super::matrices::{Lu, MATRIX_TYPES, Narrow, narrow, square, wide, with_matrix};
use crate::array::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Lu(input: T) -> (lu: T, p: output_idx_type)",
    attrs: "T: type in {double, float, half, complex64, complex128}; output_idx_type: type in {int32, int64} = int32",
    doc: "For each square matrix the lower triangle (with ones on its diagonal) and the upper one in one matrix; row i of their product is row p[i] of the input.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn factors<T: Narrow>(x: &Tensor) -> Result<(Tensor, Vec<i64>)> {
    let (_, n) = square(x)?;
    let all = wide::<T>(x)?;
    let (mut out, mut places) = (Vec::new(), Vec::new());
    for a in all.chunks_exact((n * n).max(1)) {
        let lu = Lu::of(a.to_vec(), n);
        if lu.is_singular() {
            return Err(invalid_argument("Input is not invertible."));
        }
        let (factors, rows) = lu.into_parts();
        out.extend(factors);
        places.extend(rows.into_iter().map(|r| r as i64));
    }
    Ok((narrow::<T>(x.shape().clone(), &out)?, places))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (lu, places) = with_matrix!(x.dtype() => T, { factors::<T>(x)? }, else { return Err(unsupported("Lu", x.dtype())) });
    let p = index_tensor(ctx.node.attrs.dtype("output_idx_type")?, Shape::new(&x.dims()[..x.rank() - 1])?, &places)?;
    ctx.set_output(0, lu);
    ctx.set_output(1, p);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    super::matrices::square_shape(c)?;
    if let Some(dims) = c.input(0).dims() {
        c.set_output(1, PartialShape::new(&dims[..dims.len() - 1]));
    }
    Ok(())
}
