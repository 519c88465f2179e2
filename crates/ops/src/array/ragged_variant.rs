//! `RaggedTensorVariant`: a ragged tensor as the value of a variant (TF: `RaggedTensorVariant`).

use crate::prelude::*;
use bytes::Bytes;
use ferroflow_tensor::{Variant, VariantValue};
use std::any::Any;
use std::sync::Arc;

const TYPE_NAME: &str = "RaggedTensorVariant";

/// Nested row splits and the values of the innermost rows.
#[derive(Clone, Debug)]
pub(crate) struct RaggedVariant {
    /// From the outermost rows inwards.
    pub(crate) splits: Vec<Tensor>,
    /// Of the innermost rows.
    pub(crate) values: Tensor,
}

impl VariantValue for RaggedVariant {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)> {
        Some((Bytes::new(), self.splits.iter().chain([&self.values]).cloned().collect()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl RaggedVariant {
    /// As the element of a variant tensor.
    pub(crate) fn into_variant(self) -> Variant {
        Variant::Value(Arc::new(self))
    }

    /// The ragged tensor in a variant.
    ///
    /// Errors: `InvalidArgument` if there is none.
    pub(crate) fn of(variant: &Variant) -> Result<RaggedVariant> {
        let other = |name: &str| invalid_argument(format!("Input Variant element doesn't hold a RaggedTensorVariant: '{name}'"));
        match variant {
            Variant::Empty => Err(other("")),
            Variant::Value(v) => v.as_any().downcast_ref::<RaggedVariant>().cloned().ok_or_else(|| other(v.type_name())),
            Variant::Encoded { type_name, tensors, .. } => match tensors.split_last() {
                Some((values, splits)) if type_name == TYPE_NAME => Ok(RaggedVariant { splits: splits.to_vec(), values: values.clone() }),
                _ => Err(other(type_name)),
            },
        }
    }
}
