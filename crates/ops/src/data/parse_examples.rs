//! The dataset of `ParseExampleDataset`: features of serialised examples (TF: `ParseExampleDatasetOp`).

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::map::parallelism;
use crate::array::ragged_variant::RaggedVariant;
use crate::prelude::*;
use crate::sparse::serialized::pack;
use crate::string::example::{Dense, Row, key, ragged, rows, sparse};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a feature becomes.
enum Feature {
    Sparse(DType),
    Dense { dtype: DType, shape: PartialShape, default: Tensor },
    Ragged { dtype: DType, splits: DType },
}

/// By key, which is also the order of the components.
type Features = Arc<BTreeMap<String, Feature>>;

struct Parse {
    input: DatasetHandle,
    features: Features,
}

/// The kernel of both versions.
///
/// Errors: `InvalidArgument` for keys, types, shapes and defaults that do not fit each other.
pub(super) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    parallelism(ctx, ctx.scalar::<i64>(1, "num_parallel_calls")?)?;
    let attrs = &ctx.node.attrs;
    let (sparse, dense, ragged) = (attrs.strs("sparse_keys")?, attrs.strs("dense_keys")?, attrs.strs("ragged_keys")?);
    let (sparse_types, dense_types, shapes) = (attrs.dtypes("sparse_types")?, attrs.dtypes("Tdense")?, attrs.shapes("dense_shapes")?);
    let (ragged_types, split_types) = (attrs.dtypes("ragged_value_types")?, attrs.dtypes("ragged_split_types")?);
    if sparse.len() != sparse_types.len() || dense.len() != dense_types.len() || dense.len() != shapes.len() {
        return Err(invalid_argument("the numbers of sparse and dense keys, types and shapes differ"));
    }
    if ragged.len() != ragged_types.len() || ragged.len() != split_types.len() {
        return Err(invalid_argument("the numbers of ragged keys and types differ"));
    }
    let mut features = BTreeMap::new();
    let text = |bytes: &bytes::Bytes| key(bytes).map(str::to_owned);
    for (k, dtype) in sparse.iter().zip(&sparse_types) {
        features.insert(text(k)?, Feature::Sparse(*dtype));
    }
    for (i, k) in dense.iter().enumerate() {
        let default = ctx.input(2 + i)?.clone();
        features.insert(text(k)?, Feature::Dense { dtype: dense_types[i], shape: shapes[i].clone(), default });
    }
    for (k, (dtype, splits)) in ragged.iter().zip(ragged_types.iter().zip(&split_types)) {
        features.insert(text(k)?, Feature::Ragged { dtype: *dtype, splits: *splits });
    }
    if features.len() != ctx.node.attrs.dtypes("output_types")?.len() {
        return Err(invalid_argument("the number of output types is not that of different keys"));
    }
    emit(ctx, &[&input], Parse { input: input.clone(), features: Arc::new(features) })
}

impl Dataset for Parse {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(ParseIterator { input: self.input.iterator(ctx)?, features: self.features.clone() }))
    }

    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }
}

struct ParseIterator {
    input: AnyIterator,
    features: Features,
}

impl Feature {
    fn component(&self, rows: &[Row], key: &str) -> Result<Tensor> {
        match self {
            Feature::Sparse(dtype) => pack(DType::Variant, Shape::new(&[3])?, &sparse(rows, key, *dtype, false)?),
            Feature::Dense { dtype, shape, default } => Dense { key, dtype: *dtype, shape, default }.column(rows, false),
            Feature::Ragged { dtype, splits } => {
                let [values, splits] = ragged(rows, key, *dtype, *splits, false)?;
                Tensor::variants(Shape::scalar(), vec![RaggedVariant { splits: vec![splits], values }.into_variant()])
            }
        }
    }
}

impl DatasetIterator for ParseIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let Some(element) = self.input.next(ctx).await? else { return Ok(None) };
            let [serialized] = &element[..] else {
                return Err(invalid_argument(format!("ParseExampleDataset takes one component, got {}", element.len())));
            };
            if serialized.rank() != 1 {
                return Err(invalid_argument(format!("ParseExampleDataset takes vectors of examples, got shape {}", serialized.shape())));
            }
            let rows = rows(serialized, None)?;
            self.features.iter().map(|(key, feature)| feature.component(&rows, key)).collect::<Result<Element>>().map(Some)
        })
    }
}
