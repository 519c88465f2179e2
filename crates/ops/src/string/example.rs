//! Features of examples as columns: dense, sparse and ragged tensors (TF: `example_proto_fast_parsing`).

use crate::prelude::*;
use bytes::Bytes;
use ferroflow_proto::feature::Kind;
use ferroflow_proto::{Feature, Features, Message};

/// Values of a feature.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    Float(&'a [f32]),
    Int64(&'a [i64]),
    Bytes(&'a [Bytes]),
}

impl<'a> Values<'a> {
    /// The values of a feature, if it has any list at all.
    pub(super) fn of(feature: &'a Feature) -> Option<Values<'a>> {
        Some(match feature.kind.as_ref()? {
            Kind::FloatList(list) => Values::Float(&list.value),
            Kind::Int64List(list) => Values::Int64(&list.value),
            Kind::BytesList(list) => Values::Bytes(&list.value),
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Values::Float(v) => v.len(),
            Values::Int64(v) => v.len(),
            Values::Bytes(v) => v.len(),
        }
    }
}

/// Values of one type, collected over examples.
pub(super) enum Column {
    Float(Vec<f32>),
    Int64(Vec<i64>),
    Bytes(Vec<Bytes>),
}

impl Column {
    /// An empty column.
    ///
    /// Errors: `InvalidArgument` for a type that features do not have.
    pub(super) fn new(dtype: DType) -> Result<Column> {
        Ok(match dtype {
            DType::Float => Column::Float(Vec::new()),
            DType::Int64 => Column::Int64(Vec::new()),
            DType::String => Column::Bytes(Vec::new()),
            other => return Err(invalid_argument(format!("Invalid input dtype: {other}"))),
        })
    }

    /// How many values it has.
    pub(super) fn len(&self) -> usize {
        match self {
            Column::Float(v) => v.len(),
            Column::Int64(v) => v.len(),
            Column::Bytes(v) => v.len(),
        }
    }

    /// Adds the values of a feature.
    ///
    /// Errors: `InvalidArgument` if they are of another type.
    pub(super) fn extend(&mut self, values: Values, key: &str) -> Result<()> {
        match (self, values) {
            (Column::Float(c), Values::Float(v)) => c.extend_from_slice(v),
            (Column::Int64(c), Values::Int64(v)) => c.extend_from_slice(v),
            (Column::Bytes(c), Values::Bytes(v)) => c.extend_from_slice(v),
            (column, _) => {
                let expected = column.dtype();
                return Err(invalid_argument(format!("Key: {key}.  Data types don't match. Expected type: {expected}")));
            }
        }
        Ok(())
    }

    /// Of which type they are.
    pub(super) fn dtype(&self) -> DType {
        match self {
            Column::Float(_) => DType::Float,
            Column::Int64(_) => DType::Int64,
            Column::Bytes(_) => DType::String,
        }
    }

    /// Adds the elements of a tensor.
    ///
    /// Errors: `InvalidArgument` if they are of another type.
    pub(super) fn extend_with(&mut self, t: &Tensor) -> Result<()> {
        match self {
            Column::Float(c) => c.extend_from_slice(t.as_slice()?),
            Column::Int64(c) => c.extend_from_slice(t.as_slice()?),
            Column::Bytes(c) => c.extend_from_slice(t.as_strings()?),
        }
        Ok(())
    }

    /// Adds `n` times the only element of a tensor, or zero if it has none.
    ///
    /// Errors: `InvalidArgument` if it is of another type.
    pub(super) fn fill(&mut self, n: usize, with: Option<&Tensor>) -> Result<()> {
        match self {
            Column::Float(c) => c.resize(c.len() + n, with.map_or(Ok(&[][..]), |t| t.as_slice())?.first().copied().unwrap_or_default()),
            Column::Int64(c) => c.resize(c.len() + n, with.map_or(Ok(&[][..]), |t| t.as_slice())?.first().copied().unwrap_or_default()),
            Column::Bytes(c) => c.resize(c.len() + n, with.map_or(Ok(&[][..]), |t| t.as_strings())?.first().cloned().unwrap_or_default()),
        }
        Ok(())
    }

    /// The values as a tensor.
    ///
    /// Errors: `InvalidArgument` if they do not fill the shape.
    pub(super) fn into_tensor(self, dims: &[i64]) -> Result<Tensor> {
        let shape = Shape::new(dims)?;
        match self {
            Column::Float(c) => Tensor::from_slice(shape, &c),
            Column::Int64(c) => Tensor::from_slice(shape, &c),
            Column::Bytes(c) => Tensor::strings(shape, c),
        }
    }
}

/// A message.
///
/// Errors: `InvalidArgument` for bytes that are none.
pub(super) fn decoded<M: Message + Default>(bytes: &Bytes, name: &str, what: &str) -> Result<M> {
    let shown = || String::from_utf8_lossy(&bytes[..bytes.len().min(64)]).into_owned();
    M::decode(bytes.clone()).map_err(|_| invalid_argument(format!("Name: {name}, Could not parse {what} input, value: '{}'", shown())))
}

/// One example's features, and what it is called in messages.
pub(crate) struct Row {
    pub(super) features: Features,
    pub(super) name: String,
}

impl Row {
    /// The values of a feature, if it is there.
    pub(super) fn values(&self, key: &str) -> Option<Values<'_>> {
        self.features.feature.get(key).and_then(Values::of)
    }
}

/// A feature that every example has in this shape, or a default.
pub(crate) struct Dense<'a> {
    pub(crate) key: &'a str,
    pub(crate) dtype: DType,
    /// Of one example. An unknown first dimension is as long as the longest.
    pub(crate) shape: &'a PartialShape,
    pub(crate) default: &'a Tensor,
}

impl Dense<'_> {
    /// Whether lengths differ, and how many elements a step of the first dimension, or else the whole, has.
    fn stride(&self) -> Result<(bool, usize)> {
        let dims = self.shape.dims().ok_or_else(|| invalid_argument(format!("dense_shapes of {} must be known", self.key)))?;
        let varies = dims.first().is_some_and(Option::is_none);
        let known: Option<Vec<i64>> = dims[usize::from(varies)..].iter().copied().collect();
        let known = known.ok_or_else(|| {
            invalid_argument(format!("dense_shapes of {} may leave the first dimension open only, got {}", self.key, self.shape))
        })?;
        Ok((varies, Shape::new(&known)?.num_elements()))
    }

    /// The feature of all examples, `[examples, shape...]`, or of the only one.
    ///
    /// Errors: `InvalidArgument` for a feature that is missing or does not fit.
    pub(crate) fn column(&self, rows: &[Row], is_single: bool) -> Result<Tensor> {
        let (varies, stride) = self.stride()?;
        if self.default.dtype() != self.dtype {
            return Err(invalid_argument(format!(
                "the default of {} must be of type {}, got {}",
                self.key,
                self.dtype,
                self.default.dtype()
            )));
        }
        let has_default = self.default.num_elements() > 0;
        if varies && self.default.num_elements() != 1 {
            return Err(invalid_argument(format!(
                "dense_shape[{}] is a variable length shape: {}, therefore def_value must contain a single element (the padding element). But its shape is: {}",
                self.key,
                self.shape,
                self.default.shape()
            )));
        }
        if !varies && has_default && self.default.num_elements() != stride {
            return Err(invalid_argument(format!(
                "def_value of {} has shape {}, but dense_shape is {}",
                self.key,
                self.default.shape(),
                self.shape
            )));
        }
        let longest = rows.iter().filter_map(|r| r.values(self.key)).map(|v| v.len()).max().unwrap_or(0);
        let steps = if varies { longest.div_ceil(stride.max(1)) } else { 1 };
        let size = steps * stride;
        let mut column = Column::new(self.dtype)?;
        for (index, row) in rows.iter().enumerate() {
            match row.values(self.key) {
                None if varies => column.fill(size, Some(self.default))?,
                None if has_default => column.extend_with(self.default)?,
                None => {
                    return Err(invalid_argument(format!(
                        "Name: {}, Feature: {} (data type: {}) is required but could not be found.",
                        row.name, self.key, self.dtype
                    )));
                }
                Some(values) => {
                    let before = column.len();
                    column.extend(values, self.key)?;
                    let n = column.len() - before;
                    let fits = if varies { n % stride.max(1) == 0 } else { n == stride };
                    if !fits {
                        let of = if self.dtype == DType::String { "bytes".to_owned() } else { self.dtype.to_string() };
                        let wrong = if varies {
                            format!("is not a multiple of stride length.  values size: {n} but stride length: {stride}")
                        } else {
                            format!("!= expected.  values size: {n} but output shape: {}", self.shape)
                        };
                        return Err(invalid_argument(format!(
                            "Name: {}, Key: {}, Index: {index}.  Number of {of} values {wrong}",
                            row.name, self.key
                        )));
                    }
                    column.fill(size - n, Some(self.default))?;
                }
            }
        }
        let own: Vec<i64> = self.shape.dims().unwrap_or_default().iter().map(|d| d.unwrap_or(steps as i64)).collect();
        let outer: &[i64] = if is_single { &[] } else { &[rows.len() as i64] };
        column.into_tensor(&[outer, &own].concat())
    }
}

/// A feature of all examples as indices, values and shape of a sparse tensor `[examples, longest]`, or `[length]` of the only one.
///
/// Errors: `InvalidArgument` for values of another type.
pub(crate) fn sparse(rows: &[Row], key: &str, dtype: DType, is_single: bool) -> Result<[Tensor; 3]> {
    let mut column = Column::new(dtype)?;
    let (mut indices, mut longest) = (Vec::new(), 0);
    for (i, row) in rows.iter().enumerate() {
        let Some(values) = row.values(key) else { continue };
        column.extend(values, key)?;
        longest = longest.max(values.len());
        for j in 0..values.len() as i64 {
            if !is_single {
                indices.push(i as i64);
            }
            indices.push(j);
        }
    }
    let n = column.len();
    let shape: &[i64] = if is_single { &[longest as i64] } else { &[rows.len() as i64, longest as i64] };
    Ok([crate::sparse::coo::matrix(n, shape.len(), &indices)?, column.into_tensor(&[n as i64])?, Tensor::vector(shape)?])
}

/// A feature of all examples as values and row splits of a ragged tensor.
///
/// Errors: `InvalidArgument` for values of another type, or splits that do not fit theirs.
pub(crate) fn ragged(rows: &[Row], key: &str, dtype: DType, splits: DType, is_single: bool) -> Result<[Tensor; 2]> {
    let mut column = Column::new(dtype)?;
    let mut ends = vec![0i64];
    for row in rows {
        if let Some(values) = row.values(key) {
            column.extend(values, key)?;
        }
        ends.push(column.len() as i64);
    }
    if is_single {
        ends.clear();
    }
    let n = column.len() as i64;
    let ends = crate::array::dims::index_tensor(splits, Shape::from_lens(&[ends.len()])?, &ends)?;
    Ok([column.into_tensor(&[n])?, ends])
}

/// The text of a key.
///
/// Errors: `InvalidArgument` if it is not UTF-8, which no feature's name is.
pub(crate) fn key(bytes: &Bytes) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| invalid_argument("a feature's key is not valid UTF-8"))
}

/// The examples of a vector (or scalar) of serialised ones, and their names if they are given.
///
/// Errors: `InvalidArgument` for shapes that do not fit and bytes that are no example.
pub(crate) fn rows(serialized: &Tensor, names: Option<&Tensor>) -> Result<Vec<Row>> {
    let names = match names {
        Some(n) if n.num_elements() > 0 => {
            if n.shape() != serialized.shape() {
                return Err(invalid_argument(format!(
                    "Expected len(names) == len(serialized), but got {} vs. {}",
                    n.shape(),
                    serialized.shape()
                )));
            }
            Some(n.as_strings()?)
        }
        _ => None,
    };
    let row = |(i, bytes): (usize, &Bytes)| {
        let name = names.map_or_else(|| "<unknown>".to_owned(), |n| String::from_utf8_lossy(&n[i]).into_owned());
        let example: ferroflow_proto::Example = decoded(bytes, &name, "example")?;
        Ok(Row { features: example.features.unwrap_or_default(), name })
    };
    serialized.as_strings()?.iter().enumerate().map(row).collect()
}
