//! `Optional`: an element, or none, as one variant (TF: `OptionalVariant`).

use super::dataset::Element;
use super::node_task::check_components;
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_tensor::{Variant, VariantValue};
use std::any::Any;
use std::sync::Arc;

/// An element, if there is one.
#[derive(Clone, Debug)]
pub(super) struct Optional(pub(super) Option<Element>);

impl VariantValue for Optional {
    fn type_name(&self) -> &str {
        "tensorflow::data::Optional"
    }

    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Optional {
    /// As a scalar variant tensor.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(super) fn to_tensor(&self) -> Result<Tensor> {
        Tensor::variants(Shape::scalar(), vec![Variant::Value(Arc::new(self.clone()))])
    }
}

fn at_input(ctx: &OpKernelContext) -> Result<Optional> {
    let found = match ctx.input(0)?.as_variants()? {
        [Variant::Value(value)] => value.as_any().downcast_ref::<Optional>().cloned(),
        _ => None,
    };
    found.ok_or_else(|| invalid_argument("the input is not an optional"))
}

/// The kernel of `OptionalFromValue`.
///
/// Errors: `Internal` for inputs that are references.
pub(super) fn from_value(ctx: &mut OpKernelContext) -> Result<()> {
    let components = (0..ctx.num_inputs()).map(|i| ctx.input(i).cloned()).collect::<Result<Element>>()?;
    let optional = Optional(Some(components)).to_tensor()?;
    ctx.set_output(0, optional);
    Ok(())
}

/// The kernel of `OptionalNone`.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn none(ctx: &mut OpKernelContext) -> Result<()> {
    let optional = Optional(None).to_tensor()?;
    ctx.set_output(0, optional);
    Ok(())
}

/// The kernel of `OptionalHasValue`.
///
/// Errors: `InvalidArgument` if the input is no optional.
pub(super) fn has_value(ctx: &mut OpKernelContext) -> Result<()> {
    let has_value = at_input(ctx)?.0.is_some();
    ctx.set_output(0, Tensor::scalar(has_value));
    Ok(())
}

/// The kernel of `OptionalGetValue`.
///
/// Errors: `InvalidArgument` if the input is no optional, has no value or one of other types.
pub(super) fn get_value(ctx: &mut OpKernelContext) -> Result<()> {
    let element = at_input(ctx)?.0;
    let element = element.ok_or_else(|| invalid_argument("The given optional does not have a value."))?;
    let types: Vec<DType> = ctx.node.output_types.iter().map(|t| t.dtype).collect();
    check_components(&element, &types)?;
    for (i, component) in element.into_iter().enumerate() {
        ctx.set_output(i, component);
    }
    Ok(())
}
