//! `ParseSequenceExampleV2`: features of a batch of sequence examples as tensors, ragged ones too.

use super::example::Dense;
use super::sequence::{Batch, DenseList, Wanted, shapes, typed, typed_ragged};
use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "ParseSequenceExampleV2(serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: Tcontext_dense) -> (context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, context_ragged_values: context_ragged_value_types, context_ragged_row_splits: context_ragged_split_types, feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense * int64, feature_list_ragged_values: feature_list_ragged_value_types, feature_list_ragged_outer_splits: feature_list_ragged_split_types, feature_list_ragged_inner_splits: feature_list_ragged_split_types)",
    attrs: "Ncontext_sparse: int >= 0 = 0; Tcontext_dense: list(type) >= 0 in {float, int64, string} = []; context_sparse_types: list(type) >= 0 in {float, int64, string} = []; context_ragged_value_types: list(type) >= 0 in {float, int64, string} = []; context_ragged_split_types: list(type) >= 0 in {int32, int64} = []; context_dense_shapes: list(shape) >= 0 = []; Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; feature_list_dense_types: list(type) >= 0 in {float, int64, string} = []; feature_list_sparse_types: list(type) >= 0 in {float, int64, string} = []; feature_list_ragged_value_types: list(type) >= 0 in {float, int64, string} = []; feature_list_ragged_split_types: list(type) >= 0 in {int32, int64} = []; feature_list_dense_shapes: list(shape) >= 0 = []",
    doc: "Of serialised sequence examples the features of their contexts, and their lists of features, as sparse, dense and ragged tensors.",
    shape: |c| shapes(c, true),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn keys<'a>(ctx: &'a OpKernelContext, i: usize, name: &str) -> Result<&'a [Bytes]> {
    let t = ctx.input(i)?;
    if t.rank() != 1 {
        return Err(invalid_argument(format!("Expected {name} to be a vector, got shape: {}", t.shape())));
    }
    t.as_strings()
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let context = typed(keys(ctx, 3, "context_dense_keys")?, &attrs.dtypes("Tcontext_dense")?)?;
    let context_shapes = attrs.shapes("context_dense_shapes")?;
    let lists = typed(keys(ctx, 6, "feature_list_dense_keys")?, &attrs.dtypes("feature_list_dense_types")?)?;
    let list_shapes = attrs.shapes("feature_list_dense_shapes")?;
    let may_miss = ctx.slice::<bool>(8)?;
    if context.len() != context_shapes.len() || lists.len() != list_shapes.len() || lists.len() != may_miss.len() {
        return Err(invalid_argument(format!(
            "{} and {} dense keys do not fit {} and {} shapes and {} elements of feature_list_dense_missing_assumed_empty",
            context.len(),
            lists.len(),
            context_shapes.len(),
            list_shapes.len(),
            may_miss.len()
        )));
    }
    let dense = context.into_iter().zip(context_shapes).enumerate();
    let dense = dense.map(|(i, ((key, dtype), shape))| Ok(Dense { key, dtype, shape, default: ctx.input(9 + i)? }));
    let lists = lists.into_iter().zip(list_shapes).zip(may_miss);
    let wanted = Wanted {
        context_sparse: typed(keys(ctx, 2, "context_sparse_keys")?, &attrs.dtypes("context_sparse_types")?)?,
        context_dense: dense.collect::<Result<_>>()?,
        context_ragged: typed_ragged(
            keys(ctx, 4, "context_ragged_keys")?,
            &attrs.dtypes("context_ragged_value_types")?,
            &attrs.dtypes("context_ragged_split_types")?,
        )?,
        sparse: typed(keys(ctx, 5, "feature_list_sparse_keys")?, &attrs.dtypes("feature_list_sparse_types")?)?,
        dense: lists.map(|(((key, dtype), shape), &may_miss)| DenseList { key, dtype, shape, may_miss }).collect(),
        ragged: typed_ragged(
            keys(ctx, 7, "feature_list_ragged_keys")?,
            &attrs.dtypes("feature_list_ragged_value_types")?,
            &attrs.dtypes("feature_list_ragged_split_types")?,
        )?,
    };
    if attrs.count("Ncontext_sparse")? != wanted.context_sparse.len() || attrs.count("Nfeature_list_sparse")? != wanted.sparse.len() {
        return Err(invalid_argument("Ncontext_sparse and Nfeature_list_sparse must be the numbers of sparse keys"));
    }
    let results = Batch::parse(ctx.input(0)?, ctx.input(1)?)?.results(&wanted)?;
    results.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}
