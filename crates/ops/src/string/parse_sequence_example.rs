//! `ParseSequenceExample`: features of a batch of sequence examples as tensors, the older form.

use super::example::Dense;
use super::sequence::{Batch, DenseList, Wanted, shapes, typed};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParseSequenceExample(serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense) -> (context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense * int64)",
    attrs: "feature_list_dense_missing_assumed_empty: list(string) >= 0; context_sparse_keys: list(string) >= 0; context_dense_keys: list(string) >= 0; feature_list_sparse_keys: list(string) >= 0; feature_list_dense_keys: list(string) >= 0; Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; context_sparse_types: list(type) >= 0 in {float, int64, string} = []; Tcontext_dense: list(type) >= 0 in {float, int64, string} = []; feature_list_dense_types: list(type) >= 0 in {float, int64, string} = []; context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: list(type) >= 0 in {float, int64, string} = []; feature_list_dense_shapes: list(shape) >= 0 = []",
    doc: "Of serialised sequence examples the features of their contexts, and their lists of features filled up to as many steps, as sparse and dense tensors.",
    shape: |c| shapes(c, false),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (dense_keys, dense_shapes) = (attrs.strs("context_dense_keys")?, attrs.shapes("context_dense_shapes")?);
    let (list_keys, list_shapes) = (attrs.strs("feature_list_dense_keys")?, attrs.shapes("feature_list_dense_shapes")?);
    let may_miss = attrs.strs("feature_list_dense_missing_assumed_empty")?;
    let dense = typed(dense_keys, &attrs.dtypes("Tcontext_dense")?)?;
    let lists = typed(list_keys, &attrs.dtypes("feature_list_dense_types")?)?;
    let wanted = Wanted {
        context_sparse: typed(attrs.strs("context_sparse_keys")?, &attrs.dtypes("context_sparse_types")?)?,
        context_dense: Vec::new(),
        context_ragged: Vec::new(),
        sparse: typed(attrs.strs("feature_list_sparse_keys")?, &attrs.dtypes("feature_list_sparse_types")?)?,
        dense: Vec::new(),
        ragged: Vec::new(),
    };
    let counts = [
        ("Ncontext_sparse", wanted.context_sparse.len()),
        ("Ncontext_dense", dense.len()),
        ("Ncontext_dense", dense_shapes.len()),
        ("Nfeature_list_sparse", wanted.sparse.len()),
        ("Nfeature_list_dense", lists.len()),
        ("Nfeature_list_dense", list_shapes.len()),
    ];
    for (name, have) in counts {
        if attrs.count(name)? != have {
            return Err(invalid_argument(format!("{name} is {}, but there are {have} keys, types or shapes", attrs.count(name)?)));
        }
    }
    let context_dense: Result<Vec<Dense>> = (dense.into_iter().zip(dense_shapes).enumerate())
        .map(|(i, ((key, dtype), shape))| Ok(Dense { key, dtype, shape, default: ctx.input(2 + i)? }))
        .collect();
    let dense = lists.into_iter().zip(list_shapes);
    let dense = dense
        .map(|((key, dtype), shape)| DenseList { key, dtype, shape, may_miss: may_miss.iter().any(|k| k == key.as_bytes()) })
        .collect();
    let wanted = Wanted { context_dense: context_dense?, dense, ..wanted };
    let results = Batch::parse(ctx.input(0)?, ctx.input(1)?)?.results(&wanted)?;
    results.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}
