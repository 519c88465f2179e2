//! `ParseExample`: features of examples as tensors, the older form.

use super::example::{Dense, key, rows, sparse};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParseExample(serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, dense_defaults: Tdense) -> (sparse_indices: Nsparse * int64, sparse_values: sparse_types, sparse_shapes: Nsparse * int64, dense_values: Tdense)",
    attrs: "Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list(type) >= 0 in {float, int64, string}; Tdense: list(type) >= 0 in {float, int64, string}; dense_shapes: list(shape) >= 0",
    doc: "Of a vector of serialised examples the features `sparse_keys` as sparse and `dense_keys` as dense tensors.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (serialized, names) = (ctx.input(0)?, ctx.input(1)?);
    if serialized.rank() != 1 {
        return Err(invalid_argument(format!("Expected serialized to be a vector, got shape: {}", serialized.shape())));
    }
    let attrs = &ctx.node.attrs;
    let (s, d) = (attrs.count("Nsparse")?, attrs.count("Ndense")?);
    let (sparse_types, dense_types, shapes) = (attrs.dtypes("sparse_types")?, attrs.dtypes("Tdense")?, attrs.shapes("dense_shapes")?);
    if sparse_types.len() != s || dense_types.len() != d || shapes.len() != d {
        return Err(invalid_argument(format!(
            "{s} sparse and {d} dense keys do not fit {} and {} types and {} shapes",
            sparse_types.len(),
            dense_types.len(),
            shapes.len()
        )));
    }
    let scalar = |i: usize| -> Result<&bytes::Bytes> {
        let t = ctx.input(i)?;
        match t.as_strings()? {
            [key] if t.shape().is_scalar() => Ok(key),
            _ => Err(invalid_argument(format!("Expected a key to be a scalar, got shape: {}", t.shape()))),
        }
    };
    let rows = rows(serialized, Some(names))?;
    let mut outputs = Vec::new();
    for (i, &dtype) in sparse_types.iter().enumerate() {
        let [indices, values, shape] = sparse(&rows, key(scalar(2 + i)?)?, dtype, false)?;
        outputs.extend([(i, indices), (s + i, values), (2 * s + i, shape)]);
    }
    for i in 0..d {
        let dense = Dense { key: key(scalar(2 + s + i)?)?, dtype: dense_types[i], shape: &shapes[i], default: ctx.input(2 + s + d + i)? };
        outputs.push((3 * s + i, dense.column(&rows, false)?));
    }
    outputs.into_iter().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}

/// Sets the shapes of the sparse result of this rank, number `i` of `n`.
pub(super) fn set_sparse(c: &mut ShapeContext, i: usize, n: usize, rank: Option<i64>) {
    c.set_output(i, PartialShape::new(&[None, rank]));
    c.set_output(n + i, PartialShape::of_rank(1));
    c.set_output(2 * n + i, PartialShape::new(&[rank]));
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let serialized = c.with_rank(0, 1)?;
    let attrs = &c.node().attrs;
    let (s, shapes) = (attrs.count("Nsparse")?, attrs.shapes("dense_shapes")?);
    for i in 0..s {
        set_sparse(c, i, s, Some(2));
    }
    for (i, shape) in shapes.iter().enumerate() {
        if let (Some(outer), Some(own)) = (serialized.dims(), shape.dims()) {
            c.set_output(3 * s + i, PartialShape::new(&[outer, own].concat()));
        }
    }
    Ok(())
}
