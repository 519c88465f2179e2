//! `SparseReshape`: a sparse tensor under another shape.

use super::coo::{elements, matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64) -> (output_indices: int64, output_shape: int64)",
    doc: "The coordinates of the same values when the dense tensor of `input_shape` is reshaped to `new_shape`, of which one dimension may be -1.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The target shape with its −1, if any, made up for.
fn target(size: i64, wanted: &[i64]) -> Result<Vec<i64>> {
    let mut dims = wanted.to_vec();
    let mut missing = None;
    for (i, d) in dims.iter_mut().enumerate() {
        match (*d, missing) {
            (-1, None) => {
                missing = Some(i);
                *d = 1;
            }
            (-1, Some(first)) => return Err(invalid_argument(format!("only one output dimension may be -1, not both {first} and {i}"))),
            (..-1, _) => return Err(invalid_argument(format!("size {i} must be non-negative, not {d}"))),
            _ => {}
        }
    }
    let product = elements(&dims)? as i64;
    if let Some(i) = missing {
        if product == 0 {
            return Err(invalid_argument(
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero",
            ));
        }
        if size % product != 0 {
            return Err(invalid_argument(format!(
                "Input to reshape is a SparseTensor with {size} dense values, but the requested shape requires a multiple of {product}"
            )));
        }
        dims[i] = size / product;
    }
    if elements(&dims)? as i64 != size {
        return Err(invalid_argument(format!(
            "Input to reshape is a tensor with {size} dense values, but the requested shape has {product}"
        )));
    }
    Ok(dims)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (indices, shape, wanted) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let [n, rank] = *indices.dims() else {
        return Err(invalid_argument(format!("Input indices should be a matrix but received shape {}", indices.shape())));
    };
    if shape.rank() != 1 {
        return Err(invalid_argument(format!("Input shape should be a vector but received shape {}", shape.shape())));
    }
    if wanted.rank() != 1 {
        return Err(invalid_argument(format!("Target shape should be a vector but received shape {}", wanted.shape())));
    }
    if shape.dims()[0] != rank {
        return Err(invalid_argument(format!("Input tensor rank must match input shape length, but is {rank} and {}", shape.dims()[0])));
    }
    let from = shape.as_slice::<i64>()?;
    let size = elements(from)? as i64;
    let to = target(size, wanted.as_slice()?)?;
    if size == 0 && n > 0 {
        return Err(invalid_argument(format!("Input to reshape has {n} values but no dense element")));
    }
    let (rank, n) = (rank as usize, n as usize);
    let all = indices.as_slice::<i64>()?;
    let mut out = vec![0i64; n * to.len()];
    for i in 0..n {
        let at = &all[i * rank..(i + 1) * rank];
        let mut flat = at.iter().zip(from).fold(0i64, |p, (&x, &d)| p.wrapping_mul(d).wrapping_add(x));
        for (k, &d) in to.iter().enumerate().rev() {
            // The first coordinate takes what is left, so that one outside the shape stays outside.
            out[i * to.len() + k] = if k == 0 { flat } else { flat % d };
            flat /= d;
        }
    }
    let (indices, shape) = (matrix(n, to.len(), &out)?, Tensor::vector(&to)?);
    ctx.set_output(0, indices);
    ctx.set_output(1, shape);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.with_rank(0, 2)?.dim(0);
    c.with_rank(1, 1)?;
    let wanted = c.with_rank(2, 1)?;
    c.set_output(0, PartialShape::new(&[n, wanted.dim(0)]));
    c.set_output(1, wanted);
    Ok(())
}
