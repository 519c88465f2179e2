//! Batches of sequence examples as tensors: what both versions of the op share (TF: `FastParseSequenceExample`).

use super::example::{Column, Dense, Row, Values, key, ragged, sparse};
use crate::array::dims::index_tensor;
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_proto::{FeatureList, Message, SequenceExample};
use std::collections::BTreeMap;

/// The context and the lists of features of each example.
pub(super) struct Batch {
    rows: Vec<Row>,
    lists: Vec<BTreeMap<String, FeatureList>>,
    /// Whether there was a scalar and no vector: then no result has a dimension of examples.
    is_single: bool,
}

/// A list of features that is to be dense, with steps of this shape.
pub(super) struct DenseList<'a> {
    pub(super) key: &'a str,
    pub(super) dtype: DType,
    pub(super) shape: &'a PartialShape,
    /// Whether an example without it has no steps.
    pub(super) may_miss: bool,
}

/// A ragged result: key, type of the values, type of the splits.
pub(super) type Ragged<'a> = (&'a str, DType, DType);

/// What is to be made of the examples.
pub(super) struct Wanted<'a> {
    pub(super) context_sparse: Vec<(&'a str, DType)>,
    pub(super) context_dense: Vec<Dense<'a>>,
    pub(super) context_ragged: Vec<Ragged<'a>>,
    pub(super) sparse: Vec<(&'a str, DType)>,
    pub(super) dense: Vec<DenseList<'a>>,
    pub(super) ragged: Vec<Ragged<'a>>,
}

/// Keys with their types.
///
/// Errors: `InvalidArgument` if there are not as many, or a key is no text.
pub(super) fn typed<'a>(keys: &'a [Bytes], dtypes: &[DType]) -> Result<Vec<(&'a str, DType)>> {
    if keys.len() != dtypes.len() {
        return Err(invalid_argument(format!("{} keys do not fit {} types", keys.len(), dtypes.len())));
    }
    keys.iter().zip(dtypes).map(|(k, t)| Ok((key(k)?, *t))).collect()
}

/// As [`typed`], with types of splits.
///
/// Errors: as `typed`.
pub(super) fn typed_ragged<'a>(keys: &'a [Bytes], dtypes: &[DType], splits: &[DType]) -> Result<Vec<Ragged<'a>>> {
    if splits.len() != dtypes.len() {
        return Err(invalid_argument(format!("{} types of values do not fit {} types of splits", dtypes.len(), splits.len())));
    }
    Ok(typed(keys, dtypes)?.into_iter().zip(splits).map(|((k, t), s)| (k, t, *s)).collect())
}

/// The features of the steps of a list.
fn steps(list: &FeatureList) -> impl Iterator<Item = Option<Values<'_>>> {
    list.feature.iter().map(Values::of)
}

impl Batch {
    /// The examples of a scalar or vector of serialised ones, named by the other vector unless that is empty.
    ///
    /// Errors: `InvalidArgument` for shapes that do not fit and bytes that are no example.
    pub(super) fn parse(serialized: &Tensor, names: &Tensor) -> Result<Batch> {
        if serialized.rank() > 1 {
            return Err(invalid_argument(format!("Expected serialized to be a scalar or vector, got shape: {}", serialized.shape())));
        }
        if names.num_elements() > 0 && names.num_elements() != serialized.num_elements() {
            return Err(invalid_argument("example_names must be empty or have the correct number of elements"));
        }
        let names = names.as_strings()?;
        let mut batch = Batch { rows: Vec::new(), lists: Vec::new(), is_single: serialized.rank() == 0 };
        for (i, bytes) in serialized.as_strings()?.iter().enumerate() {
            let name = names.get(i).map_or_else(|| "<unknown>".to_owned(), |n| String::from_utf8_lossy(n).into_owned());
            let example = SequenceExample::decode(bytes.clone())
                .map_err(|_| invalid_argument(format!("Invalid protocol message input, example id: {name}")))?;
            batch.rows.push(Row { features: example.context.unwrap_or_default(), name });
            batch.lists.push(example.feature_lists.unwrap_or_default().feature_list);
        }
        Ok(batch)
    }

    /// A list of each example, with the example's name.
    fn of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (Option<&'a FeatureList>, &'a str)> {
        self.lists.iter().zip(&self.rows).map(move |(lists, row)| (lists.get(key), row.name.as_str()))
    }

    fn extend(column: &mut Column, values: Values, key: &str, name: &str, index: usize) -> Result<()> {
        let dtype = column.dtype();
        column.extend(values, key).map_err(|_| {
            invalid_argument(format!("Name: {name}, Feature list: {key}, Index: {index}.  Data types don't match. Expected type: {dtype}"))
        })
    }

    /// Indices (example, step and place), values and shape of a list.
    fn sparse(&self, key: &str, dtype: DType) -> Result<[Tensor; 3]> {
        let mut column = Column::new(dtype)?;
        let (mut indices, mut most_steps, mut longest) = (Vec::new(), 0, 0);
        for (b, (list, name)) in self.of(key).enumerate() {
            let Some(list) = list else { continue };
            most_steps = most_steps.max(list.feature.len() as i64);
            for (t, values) in steps(list).enumerate() {
                let Some(values) = values else { continue };
                Batch::extend(&mut column, values, key, name, t)?;
                longest = longest.max(values.len() as i64);
                for j in 0..values.len() as i64 {
                    let place = [b as i64, t as i64, j];
                    indices.extend_from_slice(if self.is_single { &place[1..] } else { &place });
                }
            }
        }
        let shape = [self.lists.len() as i64, most_steps, longest];
        let shape = if self.is_single { &shape[1..] } else { &shape[..] };
        let n = column.len();
        Ok([crate::sparse::coo::matrix(n, shape.len(), &indices)?, column.into_tensor(&[n as i64])?, Tensor::vector(shape)?])
    }

    /// The steps of a list below each other, filled up to as many for each example, and how many there were.
    fn dense(&self, wanted: &DenseList) -> Result<[Tensor; 2]> {
        let &DenseList { key, dtype, shape, may_miss } = wanted;
        let Some(own) = shape.to_shape() else {
            return Err(invalid_argument(format!("feature_list_dense_shapes of {key} must be known, got {shape}")));
        };
        let size = own.num_elements();
        let most_steps = self.of(key).filter_map(|(list, _)| Some(list?.feature.len())).max().unwrap_or(0);
        let mut column = Column::new(dtype)?;
        let mut lengths = Vec::new();
        for (b, (list, name)) in self.of(key).enumerate() {
            if list.is_none() && !may_miss {
                return Err(invalid_argument(format!(
                    "Name: {name}, Feature list '{key}' is required but could not be found.  Did you mean to include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
                )));
            }
            lengths.push(list.map_or(0, |l| l.feature.len() as i64));
            for (t, values) in list.into_iter().flat_map(steps).enumerate() {
                let n = values.map_or(0, |v| v.len());
                if let Some(values) = values {
                    Batch::extend(&mut column, values, key, name, t)?;
                }
                if n != size {
                    return Err(invalid_argument(format!(
                        "Name: {name}, Key: {key}, Index: {t}.  Number of values != expected.  values size: {n} but output shape: {own}"
                    )));
                }
            }
            let rest = ((b + 1) * most_steps * size).saturating_sub(column.len());
            column.fill(rest, None)?;
        }
        let outer = [lengths.len() as i64, most_steps as i64];
        let outer = if self.is_single { &outer[1..] } else { &outer[..] };
        let values = column.into_tensor(&[outer, own.dims()].concat())?;
        let lengths = if self.is_single { Tensor::scalar(lengths.first().copied().unwrap_or(0)) } else { Tensor::vector(&lengths)? };
        Ok([values, lengths])
    }

    /// Values of a list, where its examples begin and end among its steps, and where its steps do among the values.
    fn ragged(&self, &(key, dtype, splits): &Ragged) -> Result<[Tensor; 3]> {
        let mut column = Column::new(dtype)?;
        let (mut outer, mut inner) = (vec![0i64], vec![0i64]);
        for (list, name) in self.of(key) {
            for (t, values) in list.into_iter().flat_map(steps).enumerate() {
                if let Some(values) = values {
                    Batch::extend(&mut column, values, key, name, t)?;
                }
                inner.push(column.len() as i64);
            }
            outer.push(inner.len() as i64 - 1);
        }
        let vector = |of: &[i64]| index_tensor(splits, Shape::from_lens(&[of.len()])?, of);
        // A single example has nothing to split, but the result is there.
        let outer = if self.is_single { index_tensor(splits, Shape::scalar(), &[0])? } else { vector(&outer)? };
        let n = column.len() as i64;
        Ok([column.into_tensor(&[n])?, outer, vector(&inner)?])
    }

    fn context_ragged(&self, &(key, dtype, splits): &Ragged) -> Result<[Tensor; 2]> {
        let [values, ends] = ragged(&self.rows, key, dtype, splits, self.is_single)?;
        Ok([values, if self.is_single { index_tensor(splits, Shape::scalar(), &[0])? } else { ends }])
    }

    /// All results, in the order of the op's.
    ///
    /// Errors: `InvalidArgument` for features that are missing or do not fit.
    pub(super) fn results(&self, wanted: &Wanted) -> Result<Vec<Tensor>> {
        /// First all first parts, then all second ones, …
        fn by_part<const N: usize>(all: Vec<[Tensor; N]>) -> impl Iterator<Item = Tensor> {
            (0..N).flat_map(move |part| all.iter().map(move |t| t[part].clone()).collect::<Vec<_>>())
        }
        let mut results = Vec::new();
        let context = wanted.context_sparse.iter().map(|&(k, t)| sparse(&self.rows, k, t, self.is_single));
        results.extend(by_part(context.collect::<Result<Vec<_>>>()?));
        for dense in &wanted.context_dense {
            results.push(dense.column(&self.rows, self.is_single)?);
        }
        results.extend(by_part(wanted.context_ragged.iter().map(|r| self.context_ragged(r)).collect::<Result<Vec<_>>>()?));
        results.extend(by_part(wanted.sparse.iter().map(|&(k, t)| self.sparse(k, t)).collect::<Result<Vec<_>>>()?));
        results.extend(by_part(wanted.dense.iter().map(|d| self.dense(d)).collect::<Result<Vec<_>>>()?));
        results.extend(by_part(wanted.ragged.iter().map(|r| self.ragged(r)).collect::<Result<Vec<_>>>()?));
        Ok(results)
    }
}

/// The shapes of all results, as far as `serialized` and the attributes tell them.
///
/// Errors: `InvalidArgument` for attributes of another kind.
pub(super) fn shapes(c: &mut ShapeContext, has_ragged: bool) -> Result<()> {
    let serialized = c.input(0);
    let attrs = &c.node().attrs;
    let rank = serialized.rank().map(|r| r as i64);
    let mut shapes = Vec::new();
    let sparse = |n: usize, more: i64, shapes: &mut Vec<PartialShape>| {
        let rank = rank.map(|r| r + more);
        for of in [PartialShape::new(&[None, rank]), PartialShape::of_rank(1), PartialShape::new(&[rank])] {
            shapes.extend(std::iter::repeat_n(of, n));
        }
    };
    let dense = |inner: &PartialShape, steps: &[Option<i64>]| match (serialized.dims(), inner.dims()) {
        (Some(outer), Some(own)) => PartialShape::new(&[outer, steps, own].concat()),
        _ => PartialShape::unknown(),
    };
    let splits = || match serialized.dims() {
        Some([]) => PartialShape::scalar(),
        Some([n, ..]) => PartialShape::new(&[n.map(|n| n + 1)]),
        None => PartialShape::unknown(),
    };
    sparse(attrs.count("Ncontext_sparse")?, 1, &mut shapes);
    shapes.extend(attrs.shapes("context_dense_shapes")?.iter().map(|s| dense(s, &[])));
    if has_ragged {
        let n = attrs.types("context_ragged_value_types")?.len();
        shapes.extend(std::iter::repeat_n(PartialShape::of_rank(1), n));
        shapes.extend((0..n).map(|_| splits()));
    }
    sparse(attrs.count("Nfeature_list_sparse")?, 2, &mut shapes);
    let lists = attrs.shapes("feature_list_dense_shapes")?;
    shapes.extend(lists.iter().map(|s| dense(s, &[None])));
    shapes.extend(lists.iter().map(|_| serialized.clone()));
    if has_ragged {
        let n = attrs.types("feature_list_ragged_value_types")?.len();
        shapes.extend(std::iter::repeat_n(PartialShape::of_rank(1), n));
        shapes.extend((0..n).map(|_| splits()));
        shapes.extend(std::iter::repeat_n(PartialShape::of_rank(1), n));
    }
    for (i, shape) in shapes.into_iter().enumerate() {
        c.set_output(i, shape);
    }
    Ok(())
}
