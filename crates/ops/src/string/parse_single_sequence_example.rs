//! `ParseSingleSequenceExample`: features of one sequence example as tensors.

use super::example::{Column, Dense, Row, Values, decoded, key, sparse};
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_proto::{FeatureList, SequenceExample};

pub const OP: OpSpec = OpSpec {
    signature: "ParseSingleSequenceExample(serialized: string, feature_list_dense_missing_assumed_empty: string, context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string, context_dense_defaults: Tcontext_dense, debug_name: string) -> (context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types)",
    attrs: "Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; context_sparse_types: list(type) >= 0 in {float, int64, string} = []; Tcontext_dense: list(type) >= 0 in {float, int64, string} = []; feature_list_dense_types: list(type) >= 0 in {float, int64, string} = []; context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: list(type) >= 0 in {float, int64, string} = []; feature_list_dense_shapes: list(shape) >= 0 = []",
    doc: "Of a serialised sequence example the features of its context, and its lists of features with a first dimension of steps, as sparse and dense tensors.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The features of the steps of a list.
fn steps(list: &FeatureList) -> impl Iterator<Item = Option<Values<'_>>> {
    list.feature.iter().map(Values::of)
}

/// A list of features as indices (step and place), values and shape of a sparse tensor.
fn sparse_list(list: Option<&FeatureList>, key: &str, dtype: DType) -> Result<[Tensor; 3]> {
    let mut column = Column::new(dtype)?;
    let (mut indices, mut longest, mut count) = (Vec::new(), 0, 0i64);
    for step in list.into_iter().flat_map(steps) {
        if let Some(values) = step {
            column.extend(values, key)?;
            longest = longest.max(values.len() as i64);
            indices.extend((0..values.len() as i64).flat_map(|j| [count, j]));
        }
        count += 1;
    }
    let n = column.len();
    Ok([crate::sparse::coo::matrix(n, 2, &indices)?, column.into_tensor(&[n as i64])?, Tensor::vector(&[count, longest])?])
}

/// A list of features, each of this shape, below each other.
fn dense_list(list: &FeatureList, key: &str, dtype: DType, shape: &PartialShape, name: &str) -> Result<Tensor> {
    let Some(own) = shape.to_shape() else {
        return Err(invalid_argument(format!("feature_list_dense_shapes of {key} must be known, got {shape}")));
    };
    let mut column = Column::new(dtype)?;
    for (t, step) in steps(list).enumerate() {
        let before = column.len();
        if let Some(values) = step {
            column.extend(values, key)?;
        }
        if column.len() - before != own.num_elements() {
            return Err(invalid_argument(format!(
                "Name: {name}, Key: {key}, Index: {t}.  Number of {dtype} values != expected.  values size: {} but output shape: {own}",
                column.len() - before
            )));
        }
    }
    column.into_tensor(&[&[list.feature.len() as i64], own.dims()].concat())
}

fn scalar<'a>(ctx: &'a OpKernelContext, i: usize, name: &str) -> Result<&'a Bytes> {
    let t = ctx.input(i)?;
    match t.as_strings()? {
        [s] if t.shape().is_scalar() => Ok(s),
        _ => Err(invalid_argument(format!("Expected {name} to be a scalar, got shape: {}", t.shape()))),
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let count = |name: &str| attrs.count(name);
    let (cs, cd, fs, fd) =
        (count("Ncontext_sparse")?, count("Ncontext_dense")?, count("Nfeature_list_sparse")?, count("Nfeature_list_dense")?);
    let (cs_types, cd_types) = (attrs.dtypes("context_sparse_types")?, attrs.dtypes("Tcontext_dense")?);
    let (fs_types, fd_types) = (attrs.dtypes("feature_list_sparse_types")?, attrs.dtypes("feature_list_dense_types")?);
    let (cd_shapes, fd_shapes) = (attrs.shapes("context_dense_shapes")?, attrs.shapes("feature_list_dense_shapes")?);
    let fits = cs_types.len() == cs
        && cd_types.len() == cd
        && cd_shapes.len() == cd
        && fs_types.len() == fs
        && fd_types.len() == fd
        && fd_shapes.len() == fd;
    if !fits {
        return Err(invalid_argument(format!("the numbers of keys {cs}, {cd}, {fs}, {fd} do not fit those of types and shapes")));
    }
    let may_miss = ctx.input(1)?;
    if may_miss.rank() != 1 {
        return Err(invalid_argument(format!(
            "Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: {}",
            may_miss.shape()
        )));
    }
    let given_name = scalar(ctx, 2 + cs + cd + fs + fd + cd, "debug_name")?;
    let name = if given_name.is_empty() { "<unknown>".to_owned() } else { String::from_utf8_lossy(given_name).into_owned() };
    let example: SequenceExample = decoded(scalar(ctx, 0, "serialized")?, &name, "sequence example")?;
    let lists = example.feature_lists.unwrap_or_default().feature_list;
    let rows = [Row { features: example.context.unwrap_or_default(), name: name.clone() }];
    let key_at = |i: usize| key(scalar(ctx, i, "a key")?);
    let mut outputs = Vec::new();
    for (i, &dtype) in cs_types.iter().enumerate() {
        let [indices, values, shape] = sparse(&rows, key_at(2 + i)?, dtype, true)?;
        outputs.extend([(i, indices), (cs + i, values), (2 * cs + i, shape)]);
    }
    for i in 0..cd {
        let default = ctx.input(2 + cs + cd + fs + fd + i)?;
        let dense = Dense { key: key_at(2 + cs + i)?, dtype: cd_types[i], shape: &cd_shapes[i], default };
        outputs.push((3 * cs + i, dense.column(&rows, true)?));
    }
    let first = 3 * cs + cd;
    for (i, &dtype) in fs_types.iter().enumerate() {
        let key = key_at(2 + cs + cd + i)?;
        let [indices, values, shape] = sparse_list(lists.get(key), key, dtype)?;
        outputs.extend([(first + i, indices), (first + fs + i, values), (first + 2 * fs + i, shape)]);
    }
    let nothing = FeatureList::default();
    for i in 0..fd {
        let key = key_at(2 + cs + cd + fs + i)?;
        let list = match lists.get(key) {
            Some(list) => list,
            None if may_miss.as_strings()?.iter().any(|k| k == key.as_bytes()) => &nothing,
            None => {
                return Err(invalid_argument(format!(
                    "Name: {name}, Feature list '{key}' is required but could not be found.  Did you mean to include it in feature_list_dense_missing_assumed_empty?"
                )));
            }
        };
        outputs.push((first + 3 * fs + i, dense_list(list, key, fd_types[i], &fd_shapes[i], &name)?));
    }
    outputs.into_iter().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}
