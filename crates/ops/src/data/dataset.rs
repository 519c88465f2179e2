//! `Dataset` and `DatasetIterator`: what travels through a variant tensor and what an iterator resource steps through
//! (TF: `DatasetBase`, `DatasetIterator`, `DatasetVariantWrapper`).
//!
//! A dataset is a description that any number of iterators may be made of. An iterator waits without a thread: `next` is a future,
//! and a future that is dropped half-way leaves the iterator usable, though elements that it had gathered may be lost.

use super::iterator_context::IteratorContext;
use bytes::Bytes;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, Variant, VariantValue};
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// One element: a tensor per component.
pub(crate) type Element = Vec<Tensor>;

/// The next element, or `None` at the end.
pub(crate) type Next<'a> = Pin<Box<dyn Future<Output = Result<Option<Element>>> + Send + 'a>>;

/// A position in a dataset.
pub(crate) trait DatasetIterator: Send {
    /// Moves on. After the end it stays at the end; after an error it goes on behind what failed, where that is possible.
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a>;
}

/// An iterator of any kind.
pub(crate) type AnyIterator = Box<dyn DatasetIterator>;

/// How many elements a dataset has, if it never ends.
pub(crate) const INFINITE: i64 = -1;
/// How many elements a dataset has, if that is not known before they are counted.
pub(crate) const UNKNOWN: i64 = -2;

/// A description of elements.
pub(crate) trait Dataset: Send + Sync + 'static {
    /// An iterator that stands before the first element.
    ///
    /// Errors: what making functions ready or looking up resources returns.
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator>;

    /// The number of elements, [`INFINITE`] or [`UNKNOWN`].
    fn cardinality(&self) -> i64;
}

/// Datasets may be nested this deep: iterators of nested datasets call each other.
const MAX_DEPTH: usize = 500;

struct Shared {
    dataset: Box<dyn Dataset>,
    output_types: Vec<DType>,
    output_shapes: Vec<PartialShape>,
    depth: usize,
}

/// A shared dataset with the types and shapes of its components.
#[derive(Clone)]
pub(crate) struct DatasetHandle(Arc<Shared>);

impl DatasetHandle {
    /// An iterator that stands before the first element.
    ///
    /// Errors: as [`Dataset::iterator`].
    pub(crate) fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        self.0.dataset.iterator(ctx)
    }

    /// See [`Dataset::cardinality`].
    pub(crate) fn cardinality(&self) -> i64 {
        self.0.dataset.cardinality()
    }

    /// The types of the components.
    pub(crate) fn output_types(&self) -> &[DType] {
        &self.0.output_types
    }

    /// What is known of the shapes of the components.
    pub(crate) fn output_shapes(&self) -> &[PartialShape] {
        &self.0.output_shapes
    }

    /// As a scalar variant tensor.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(crate) fn to_tensor(&self) -> Result<Tensor> {
        Tensor::variants(Shape::scalar(), vec![Variant::Value(Arc::new(self.clone()))])
    }

    /// The dataset in a scalar variant tensor.
    ///
    /// Errors: `InvalidArgument` if there is something else in it.
    pub(crate) fn from_tensor(tensor: &Tensor) -> Result<DatasetHandle> {
        let found = match tensor.as_variants()? {
            [Variant::Value(value)] if tensor.shape().is_scalar() => value.as_any().downcast_ref::<DatasetHandle>().cloned(),
            [Variant::Encoded { type_name, .. }] => {
                return Err(invalid_argument(format!(
                    "a dataset cannot be taken from another process: the variant is an encoded {type_name}"
                )));
            }
            _ => None,
        };
        found.ok_or_else(|| {
            invalid_argument(format!("expected a scalar tensor that holds a dataset, got a variant of shape {}", tensor.shape()))
        })
    }

    /// A dataset of these components, made of `inputs`.
    ///
    /// Errors: `InvalidArgument` if too many datasets are nested, or types and shapes do not fit together.
    pub(crate) fn new(
        dataset: impl Dataset,
        inputs: &[&DatasetHandle],
        output_types: Vec<DType>,
        output_shapes: Vec<PartialShape>,
    ) -> Result<DatasetHandle> {
        let depth = inputs.iter().map(|d| d.0.depth + 1).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(invalid_argument(format!("more than {MAX_DEPTH} datasets are nested")));
        }
        if output_types.len() != output_shapes.len() {
            return Err(invalid_argument(format!(
                "a dataset has {} component types but {} component shapes",
                output_types.len(),
                output_shapes.len()
            )));
        }
        Ok(DatasetHandle(Arc::new(Shared { dataset: Box::new(dataset), output_types, output_shapes, depth })))
    }
}

impl fmt::Debug for DatasetHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dataset({:?})", self.0.output_types)
    }
}

impl VariantValue for DatasetHandle {
    fn type_name(&self) -> &str {
        "tensorflow::DatasetVariantWrapper"
    }

    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// The component types and shapes that a node declares; a node without declarations reads strings.
///
/// Errors: `InvalidArgument` for attributes of another kind.
pub(crate) fn declared(node: &NodeInfo) -> Result<(Vec<DType>, Vec<PartialShape>)> {
    let attrs = &node.attrs;
    let types = match ["output_types", "Toutput_types"].into_iter().find(|name| attrs.contains(name)) {
        Some(name) => attrs.dtypes(name)?,
        None => vec![DType::String],
    };
    let shapes = if attrs.contains("output_shapes") { attrs.shapes("output_shapes")?.to_vec() } else { vec![PartialShape::scalar()] };
    Ok((types, shapes))
}

/// The dataset at input `i`.
///
/// Errors: `InvalidArgument` if there is none.
pub(crate) fn input_dataset(ctx: &OpKernelContext, i: usize) -> Result<DatasetHandle> {
    DatasetHandle::from_tensor(ctx.input(i)?)
}

/// Makes a dataset the node's output.
///
/// Errors: as [`DatasetHandle::new`].
pub(crate) fn emit(ctx: &mut OpKernelContext, inputs: &[&DatasetHandle], dataset: impl Dataset) -> Result<()> {
    let (types, shapes) = declared(ctx.node)?;
    let tensor = DatasetHandle::new(dataset, inputs, types, shapes)?.to_tensor()?;
    ctx.set_output(0, tensor);
    Ok(())
}

/// A dataset that passes its input's elements on as they are.
struct Same(DatasetHandle);

impl Dataset for Same {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        self.0.iterator(ctx)
    }

    fn cardinality(&self) -> i64 {
        self.0.cardinality()
    }
}

/// The kernel of ops that only say how a dataset is to be run.
///
/// Errors: `InvalidArgument` if input 0 is no dataset.
pub(crate) fn pass_on(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    emit(ctx, &[&input], Same(input.clone()))
}

/// Outputs with the shapes that the node's attribute `output_shapes` says.
///
/// Errors: `InvalidArgument` without that attribute.
pub(crate) fn declared_shapes(c: &mut ShapeContext) -> Result<()> {
    for (i, shape) in c.node().attrs.shapes("output_shapes")?.iter().enumerate() {
        c.set_output(i, shape.clone());
    }
    Ok(())
}
