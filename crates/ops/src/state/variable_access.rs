//! How kernels reach the variable that an input names: a reference carries it, a resource handle is looked up.
//!
//! Variables by reference and by resource are different objects even if they share a name (TF: `LegacyVar` and `Var`): the
//! manager holds the former as [`LegacyVar`], the latter as `Variable`.

use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{OpKernelContext, Resource, ResourceManager, Value, Variable};
use ferroflow_tensor::error::{failed_precondition, invalid_argument, not_found};
use ferroflow_tensor::{DType, Error, ResourceHandle, Result, Tensor};
use std::sync::Arc;

/// What TF calls the type of a variable's resource handle.
pub(crate) const VARIABLE_TYPE_NAME: &str = "N10tensorflow3VarE";

/// A variable that is used by reference, as the resource manager holds it.
pub(crate) struct LegacyVar(pub(crate) Arc<Variable>);

impl Resource for LegacyVar {
    fn type_name(&self) -> &'static str {
        "LegacyVar"
    }
}

/// The only handle in a tensor.
///
/// Errors: `InvalidArgument` if it is not one resource handle.
pub(crate) fn handle_in(tensor: &Tensor) -> Result<&ResourceHandle> {
    match tensor.as_resources()? {
        [handle] => Ok(handle),
        _ => Err(invalid_argument(format!("expected one resource handle, got a tensor of shape {}", tensor.shape()))),
    }
}

/// The variable that a handle names.
///
/// Errors: `NotFound` if it does not exist.
pub(crate) fn variable_of(resources: &ResourceManager, handle: &ResourceHandle) -> Result<Arc<Variable>> {
    resources.lookup_handle::<Variable>(handle).map_err(|_| not_found(missing(handle)))
}

/// The variable that input `i` refers to or holds the handle of.
///
/// Errors: `NotFound` if the handle's variable does not exist; `InvalidArgument` if the input is neither.
pub(crate) fn variable(ctx: &OpKernelContext, i: usize) -> Result<Arc<Variable>> {
    match ctx.value(i)? {
        Value::Ref(variable) => Ok(variable.clone()),
        Value::Tensor(tensor) => variable_of(ctx.resources(), handle_in(tensor)?),
    }
}

/// As [`variable`], for an op that reads all of it: TF has a code of its own there.
///
/// Errors: `FailedPrecondition` if the handle's variable does not exist, and TF's clients look for `uninitialized` in the text;
/// `InvalidArgument` if the input is neither.
pub(crate) fn variable_to_read(ctx: &OpKernelContext, i: usize) -> Result<Arc<Variable>> {
    let handle = match ctx.value(i)? {
        Value::Ref(variable) => return Ok(variable.clone()),
        Value::Tensor(tensor) => handle_in(tensor)?,
    };
    ctx.resources().lookup_handle::<Variable>(handle).map_err(|_| unreadable(handle))
}

/// As [`variable`], for an op that works on elements of this type.
///
/// Errors: as [`variable`]; `InvalidArgument` if the variable's elements are of another type.
pub(crate) fn variable_of_type(ctx: &OpKernelContext, i: usize, dtype: DType) -> Result<Arc<Variable>> {
    of_type(variable(ctx, i)?, dtype)
}

/// The variable, if its elements are of this type.
///
/// Errors: `InvalidArgument` if they are not.
pub(crate) fn of_type(variable: Arc<Variable>, dtype: DType) -> Result<Arc<Variable>> {
    if variable.dtype() == dtype { Ok(variable) } else { Err(wrong_dtype(&variable, dtype)) }
}

/// The error for the use of a variable as one of another type.
pub(crate) fn wrong_dtype(variable: &Variable, wanted: DType) -> Error {
    invalid_argument(format!("Trying to access variable {} of type {} as one of type {wanted}", variable.name(), variable.dtype()))
}

/// Passes the reference in input 0 on as output 0, if the op has an output: what the forms by reference do and those by resource do not.
///
/// Errors: `Internal` if there is no input.
pub(crate) fn pass_reference(ctx: &mut OpKernelContext) -> Result<()> {
    if ctx.node.output_types.is_empty() { Ok(()) } else { ctx.pass_on(0, 0) }
}

fn missing(handle: &ResourceHandle) -> String {
    let (container, name) = (&handle.container, &handle.name);
    format!("Resource {container}/{name}/{VARIABLE_TYPE_NAME} does not exist. (Could not find resource: {container}/{name})")
}

fn unreadable(handle: &ResourceHandle) -> Error {
    failed_precondition(format!(
        "Could not find variable {}. This could mean that the variable has been deleted. In TF1, it can also mean the variable is \
         uninitialized. Debug info: container={}, status error message={}",
        handle.name,
        handle.container,
        missing(handle)
    ))
}

/// Container and name under which a node's resource is shared. Without a shared name it is the node's own name.
///
/// Errors: `InvalidArgument` for names that TF does not allow.
pub(crate) fn shared_name(node: &NodeInfo, resources: &ResourceManager) -> Result<(String, String)> {
    let (container, shared) = (node.attrs.str("container")?, node.attrs.str("shared_name")?);
    check_names(container, shared)?;
    let name = if shared.is_empty() { node.name.to_string() } else { shared.to_owned() };
    Ok((resources.container(container).to_owned(), name))
}

/// Checks the names of a container and of a shared resource.
///
/// Errors: `InvalidArgument`.
pub(crate) fn check_names(container: &str, shared: &str) -> Result<()> {
    let mut chars = container.chars();
    let good = chars.next().is_none_or(|c| c.is_ascii_alphanumeric() || c == '.')
        && chars.all(|c| c.is_ascii_alphanumeric() || "_.-/".contains(c));
    if !good {
        return Err(invalid_argument(format!("container contains invalid characters: {container}")));
    }
    if shared.starts_with('_') {
        return Err(invalid_argument(format!("shared_name cannot start with '_':{shared}")));
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::Code;

    /// A variable with a value, by reference.
    pub(crate) fn reference(value: Tensor) -> Arc<Variable> {
        let variable = Variable::new("v", value.dtype());
        variable.set(value);
        Arc::new(variable)
    }

    /// The handle of a variable of this name; it exists if there is a value.
    pub(crate) fn handle(step: &StepContext, name: &str, value: Option<Tensor>) -> Tensor {
        if let Some(value) = value {
            let variable = Variable::new(name, value.dtype());
            variable.set(value);
            step.resources.create("", name, Arc::new(variable)).unwrap();
        }
        Tensor::resource(ResourceHandle {
            container: step.resources.default_container().to_owned(),
            name: name.to_owned(),
            ..ResourceHandle::default()
        })
    }

    #[test]
    fn a_missing_variable_is_not_found_and_for_a_reader_uninitialized() {
        let resources = ResourceManager::new("ps");
        let handle = ResourceHandle { container: "ps".into(), name: "v".into(), ..ResourceHandle::default() };
        let error = variable_of(&resources, &handle).unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.bare_message().ends_with("(Could not find resource: ps/v)"), "{error}");
        let error = unreadable(&handle);
        assert_eq!(error.code(), Code::FailedPrecondition);
        assert!(error.bare_message().contains("uninitialized") && error.bare_message().contains("ps/v/"), "{error}");
    }

    #[test]
    fn one_name_may_stand_for_a_reference_and_a_resource() {
        let resources = ResourceManager::new("ps");
        let legacy = Arc::new(Variable::new("v", DType::Float));
        resources.create("", "v", Arc::new(LegacyVar(legacy))).unwrap();
        assert!(resources.lookup::<Variable>("", "v").is_err());
    }

    #[test]
    fn names_that_tensorflow_refuses_are_refused() {
        assert!(check_names("", "").is_ok() && check_names("a_b/c.d-1", "x").is_ok());
        for (container, shared) in [("_a", ""), ("a b", ""), ("", "_x")] {
            assert_eq!(check_names(container, shared).unwrap_err().code(), Code::InvalidArgument);
        }
    }

    #[test]
    fn an_empty_handle_tensor_is_refused() {
        let empty = Tensor::resources(ferroflow_tensor::Shape::new(&[0]).unwrap(), vec![]).unwrap();
        assert_eq!(handle_in(&empty).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(handle_in(&Tensor::scalar(1f32)).unwrap_err().code(), Code::InvalidArgument);
    }
}
