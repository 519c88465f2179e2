//! `ParseSingleExample`: features of one example as tensors.

use super::example::{Dense, rows, sparse};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParseSingleExample(serialized: string, dense_defaults: Tdense) -> (sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: Tdense)",
    attrs: "num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list(type) >= 0 in {float, int64, string}; Tdense: list(type) >= 0 in {float, int64, string}; dense_shapes: list(shape) >= 0",
    doc: "Of a serialised example the features `sparse_keys` as sparse and `dense_keys` as dense tensors, without a dimension of examples.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let serialized = ctx.input(0)?;
    if !serialized.shape().is_scalar() {
        return Err(invalid_argument(format!("Expected serialized to be a scalar, got shape: {}", serialized.shape())));
    }
    let attrs = &ctx.node.attrs;
    let key = |k: &bytes::Bytes| super::example::key(k).map(str::to_owned);
    let sparse_keys: Vec<String> = attrs.strs("sparse_keys")?.iter().map(key).collect::<Result<_>>()?;
    let dense_keys: Vec<String> = attrs.strs("dense_keys")?.iter().map(key).collect::<Result<_>>()?;
    let (sparse_types, dense_types, shapes) = (attrs.dtypes("sparse_types")?, attrs.dtypes("Tdense")?, attrs.shapes("dense_shapes")?);
    let (s, d) = (sparse_keys.len(), dense_keys.len());
    if sparse_types.len() != s || attrs.count("num_sparse")? != s || dense_types.len() != d || shapes.len() != d {
        return Err(invalid_argument(format!(
            "{s} sparse and {d} dense keys do not fit {} and {} types and {} shapes",
            sparse_types.len(),
            dense_types.len(),
            shapes.len()
        )));
    }
    let rows = rows(serialized, None)?;
    let mut outputs = Vec::new();
    for (i, k) in sparse_keys.iter().enumerate() {
        let [indices, values, shape] = sparse(&rows, k, sparse_types[i], true)?;
        outputs.extend([(i, indices), (s + i, values), (2 * s + i, shape)]);
    }
    for (i, k) in dense_keys.iter().enumerate() {
        let dense = Dense { key: k, dtype: dense_types[i], shape: &shapes[i], default: ctx.input(1 + i)? };
        outputs.push((3 * s + i, dense.column(&rows, true)?));
    }
    outputs.into_iter().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 0)?;
    let attrs = &c.node().attrs;
    let (s, shapes) = (attrs.count("num_sparse")?, attrs.shapes("dense_shapes")?);
    for i in 0..s {
        super::parse_example::set_sparse(c, i, s, Some(1));
    }
    for (i, shape) in shapes.iter().enumerate() {
        c.set_output(3 * s + i, shape.clone());
    }
    Ok(())
}
