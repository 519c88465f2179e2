//! `SparseToDense`: a dense tensor from coordinates and values.

use super::coo::Coo;
use crate::array::dims::shape_from;
use crate::array::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T) -> (dense: T)",
    attrs: "validate_indices: bool = true; T: type; Tindices: type in {int32, int64}",
    doc: "A tensor of `output_shape` that holds `sparse_values` (one each, or one for all) at `sparse_indices`, and `default_value` elsewhere.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Placing<'a> {
    places: &'a [usize],
    one: bool,
}

impl Rearrange for Placing<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        out.fill(inputs[1][0].clone());
        for (i, &p) in self.places.iter().enumerate() {
            out[p] = inputs[0][if self.one { 0 } else { i }].clone();
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (indices, shape, values, default) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
    if indices.rank() > 2 {
        return Err(invalid_argument(format!("sparse_indices should be a scalar, vector, or matrix, got shape {}", indices.shape())));
    }
    if shape.rank() != 1 {
        return Err(invalid_argument(format!("output_shape must be rank 1, got shape {}", shape.shape())));
    }
    let n = indices.dims().first().copied().unwrap_or(1);
    let rank = indices.dims().get(1).copied().unwrap_or(1);
    if shape.dims()[0] != rank {
        return Err(invalid_argument(format!("output_shape has incorrect number of elements: {} should be: {rank}", shape.dims()[0])));
    }
    let whole = shape_from(shape, "output_shape")?;
    if values.rank() > 1 || values.rank() == 1 && values.dims()[0] != n {
        return Err(invalid_argument(format!("sparse_values has incorrect shape {}, should be [] or [{n}]", values.shape())));
    }
    if !default.shape().is_scalar() {
        return Err(invalid_argument("default_value should be a scalar."));
    }
    let indices = indices.clone().reshaped(Shape::new(&[n, rank])?)?;
    let nothing = Tensor::zeros(DType::Bool, Shape::new(&[n])?)?;
    let sparse = Coo::of(&indices, &nothing, shape)?;
    if ctx.node.attrs.bool("validate_indices")? {
        sparse.check_order()?;
    } else {
        sparse.check_bounds()?;
    }
    let places: Vec<usize> = (0..sparse.len()).map(|i| sparse.flat(i)).collect();
    let y = rearrange(&[values, default], whole, &Placing { places: &places, one: values.rank() == 0 })?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(1)?;
    c.set_output(0, s);
    Ok(())
}
