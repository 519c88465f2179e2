//! `Value`: what travels along an edge inside a task.

use super::Variable;
use ferroflow_tensor::{Result, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

/// A tensor, or a reference to a variable (TF: `TensorValue` with its mutex).
#[derive(Clone)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A reference: the variable itself, to be read or changed by the consumer.
    Ref(Arc<Variable>),
}

impl Value {
    /// The tensor; a reference is read.
    ///
    /// Errors: `FailedPrecondition` if it refers to a variable without a value.
    #[inline]
    pub fn to_tensor(&self) -> Result<Tensor> {
        match self {
            Value::Tensor(t) => Ok(t.clone()),
            Value::Ref(v) => v.read(),
        }
    }
}

impl From<Tensor> for Value {
    #[inline]
    fn from(t: Tensor) -> Value {
        Value::Tensor(t)
    }
}

/// The outputs of a node, by index; `None` is a dead output.
pub type Outputs = SmallVec<[Option<Value>; 2]>;
