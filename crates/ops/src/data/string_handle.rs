//! Handles of iterators as strings, which a client can fetch and feed (TF: `IteratorToStringHandle`, `IteratorFromStringHandle`).

use super::iterator_resource::iterator_at;
use crate::prelude::*;

/// The kernel of `IteratorToStringHandle`.
///
/// Errors: `NotFound` if there is no such iterator.
pub(super) fn to_string(ctx: &mut OpKernelContext) -> Result<()> {
    let handle = ctx.input(0)?;
    iterator_at(ctx.resources(), handle)?;
    let bytes = ferroflow_tensor::handle_to_bytes(crate::state::variable_access::handle_in(handle)?);
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}

/// The kernel of `IteratorFromStringHandle`.
///
/// Errors: `InvalidArgument` for a string that is no handle, one of another device, or an iterator over other elements; `NotFound` if
/// there is no such iterator.
pub(super) fn from_string(ctx: &mut OpKernelContext) -> Result<()> {
    let text = ctx.input(0)?;
    let [bytes] = text.as_strings()? else {
        return Err(invalid_argument(format!("string_handle must be a scalar, got shape {}", text.shape())));
    };
    let handle = ferroflow_tensor::handle_from_bytes(bytes)
        .map_err(|_| invalid_argument("Could not parse string_handle as a valid ResourceHandle"))?;
    let device = &ctx.step.device.name;
    if handle.device != **device {
        return Err(invalid_argument(format!(
            "Attempted create an iterator on device \"{device}\" from handle defined on device \"{}\"",
            handle.device
        )));
    }
    let handle = Tensor::resource(handle);
    let attrs = &ctx.node.attrs;
    iterator_at(ctx.resources(), &handle)?.check(&attrs.dtypes("output_types")?, attrs.shapes("output_shapes")?)?;
    ctx.set_output(0, handle);
    Ok(())
}
