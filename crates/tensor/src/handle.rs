//! What a tensor of type `resource` or `variant` holds.

use crate::{DType, PartialShape, Tensor};
use bytes::Bytes;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Names an object of a task's resource manager (TF: `ResourceHandleProto`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceHandle {
    /// Full name of the device whose resource manager holds it.
    pub device: String,
    /// Container, by default the job's name.
    pub container: String,
    /// Name within the container.
    pub name: String,
    /// Type hash; only TF compares it.
    pub hash_code: u64,
    /// For messages: what kind of object it names.
    pub maybe_type_name: String,
    /// What is known of the tensors that the object holds.
    pub dtypes_and_shapes: Vec<(DType, PartialShape)>,
}

/// A value whose type only its producers and consumers know, such as a tensor list.
pub trait VariantValue: Any + Send + Sync + fmt::Debug {
    /// The registered type name (`tensorflow::TensorList`).
    fn type_name(&self) -> &str;
    /// Metadata and tensors for the wire, or `None` if it cannot leave the process.
    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)>;
    /// For downcasting.
    fn as_any(&self) -> &dyn Any;
    /// For downcasting, by its only owner.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// One element of a variant tensor.
#[derive(Clone, Debug, Default)]
pub enum Variant {
    /// No value.
    #[default]
    Empty,
    /// A live object.
    Value(Arc<dyn VariantValue>),
    /// What came over the wire and nobody has decoded yet.
    Encoded {
        /// The registered type name.
        type_name: String,
        /// Opaque to all but the type's own code.
        metadata: Bytes,
        /// Tensors that belong to the value.
        tensors: Vec<Tensor>,
    },
}
