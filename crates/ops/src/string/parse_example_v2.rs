//! `ParseExampleV2`: features of examples as tensors.

use super::example::{Dense, key, ragged, rows, sparse};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParseExampleV2(serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, dense_defaults: Tdense) -> (sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types)",
    attrs: "Tdense: list(type) >= 0 in {float, int64, string}; num_sparse: int >= 0; sparse_types: list(type) >= 0 in {float, int64, string}; ragged_value_types: list(type) >= 0 in {float, int64, string}; ragged_split_types: list(type) >= 0 in {int32, int64}; dense_shapes: list(shape) >= 0",
    doc: "Of serialised examples the features `sparse_keys` as sparse, `dense_keys` as dense and `ragged_keys` as ragged tensors.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (serialized, names) = (ctx.input(0)?, ctx.input(1)?);
    if serialized.rank() > 1 {
        return Err(invalid_argument(format!("Expected serialized to be a scalar or vector, got shape: {}", serialized.shape())));
    }
    for (i, name) in [(2, "sparse_keys"), (3, "dense_keys"), (4, "ragged_keys")] {
        if ctx.input(i)?.rank() != 1 {
            return Err(invalid_argument(format!("Expected {name} to be a vector, got shape: {}", ctx.input(i)?.shape())));
        }
    }
    let attrs = &ctx.node.attrs;
    let (sparse_types, dense_types, shapes) = (attrs.dtypes("sparse_types")?, attrs.dtypes("Tdense")?, attrs.shapes("dense_shapes")?);
    let (ragged_types, split_types) = (attrs.dtypes("ragged_value_types")?, attrs.dtypes("ragged_split_types")?);
    let keys = [ctx.input(2)?.as_strings()?, ctx.input(3)?.as_strings()?, ctx.input(4)?.as_strings()?];
    let counts = [sparse_types.len(), dense_types.len(), ragged_types.len()];
    if keys.map(<[_]>::len) != counts
        || shapes.len() != counts[1]
        || split_types.len() != counts[2]
        || attrs.count("num_sparse")? != counts[0]
    {
        return Err(invalid_argument(format!(
            "the numbers of keys {:?}, types {counts:?} and shapes {} do not fit",
            keys.map(<[_]>::len),
            shapes.len()
        )));
    }
    let is_single = serialized.rank() == 0;
    let rows = rows(serialized, Some(names))?;
    let (s, d) = (counts[0], counts[1]);
    let mut outputs = Vec::new();
    for (i, (k, &dtype)) in keys[0].iter().zip(&sparse_types).enumerate() {
        let [indices, values, shape] = sparse(&rows, key(k)?, dtype, is_single)?;
        outputs.extend([(i, indices), (s + i, values), (2 * s + i, shape)]);
    }
    for (i, k) in keys[1].iter().enumerate() {
        let dense = Dense { key: key(k)?, dtype: dense_types[i], shape: &shapes[i], default: ctx.input(5 + i)? };
        outputs.push((3 * s + i, dense.column(&rows, is_single)?));
    }
    for (i, k) in keys[2].iter().enumerate() {
        let [values, splits] = ragged(&rows, key(k)?, ragged_types[i], split_types[i], is_single)?;
        outputs.extend([(3 * s + d + i, values), (3 * s + d + counts[2] + i, splits)]);
    }
    outputs.into_iter().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let serialized = c.input(0);
    let attrs = &c.node().attrs;
    let (s, shapes) = (attrs.count("num_sparse")?, attrs.shapes("dense_shapes")?);
    let rank = serialized.rank().map(|r| r as i64 + 1);
    for i in 0..s {
        super::parse_example::set_sparse(c, i, s, rank);
    }
    for (i, shape) in shapes.iter().enumerate() {
        if let (Some(outer), Some(own)) = (serialized.dims(), shape.dims()) {
            c.set_output(3 * s + i, PartialShape::new(&[outer, own].concat()));
        }
    }
    Ok(())
}
