//! Several variables under lock at once, for updates of a variable and its slots (TF: `MaybeLockVariableInputMutexesInOrder`).

use crate::state::variable_access::variable_of_type;
use ferroflow_graph::kernel::{OpKernelContext, Variable};
use ferroflow_tensor::error::{failed_precondition, internal, invalid_argument};
use ferroflow_tensor::{Code, DType, Error, Result, Tensor};
use std::sync::Arc;

/// Most variables that an update rule has: the variable and three slots.
pub(super) const MOST: usize = 4;

/// Runs `change` with the tensors of the variables at inputs `0..count`, in this order, while all of them are locked. They have values
/// of one shape.
///
/// Errors: `Internal` if the handle's variable does not exist; `FailedPrecondition` if one has no value; `InvalidArgument` if shapes or types differ, or a variable is given twice; what
/// `change` returns.
pub(super) fn with_locked<R>(
    ctx: &OpKernelContext,
    count: usize,
    dtype: DType,
    change: impl FnOnce(&mut [&mut Tensor]) -> Result<R>,
) -> Result<R> {
    let variables: Vec<Arc<Variable>> = (0..count).map(|i| variable_of_type(ctx, i, dtype).map_err(no_reference)).collect::<Result<_>>()?;
    let mut order: Vec<usize> = (0..count).collect();
    // By address, so that two updates with variables in common cannot wait for each other.
    order.sort_by_key(|&i| Arc::as_ptr(&variables[i]));
    if order.windows(2).any(|pair| Arc::ptr_eq(&variables[pair[0]], &variables[pair[1]])) {
        return Err(invalid_argument("the same variable is given twice"));
    }
    let mut guards = [const { None }; MOST];
    for &i in &order {
        *guards.get_mut(i).ok_or_else(|| internal("an update rule has too many slots"))? = Some(variables[i].lock());
    }
    let mut tensors: Vec<&mut Tensor> = Vec::with_capacity(count);
    for (guard, variable) in guards.iter_mut().flatten().zip(&variables) {
        let name = variable.name();
        tensors.push(guard.as_mut().ok_or_else(|| failed_precondition(format!("Attempting to use uninitialized variables: {name}")))?);
    }
    if let Some(i) = (1..tensors.len()).find(|&i| tensors[i].shape() != tensors[0].shape()) {
        let names = &ctx.node.op.def.inputs;
        return Err(invalid_argument(format!(
            "{} and {} do not have the same shape{} {}",
            names[0].name,
            names[i].name,
            tensors[0].shape(),
            tensors[i].shape()
        )));
    }
    change(&mut tensors)
}

/// TF's error of update rules for a variable that does not exist.
fn no_reference(error: Error) -> Error {
    if error.code() == Code::NotFound { internal("Invalid variable reference.") } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step, tensor};

    #[test]
    fn a_rule_for_a_variable_that_does_not_exist_says_so_in_tensorflows_words() {
        let step = bare_step(1);
        let (v, one) = (handle(&step, "v", Some(tensor(&[1], &[1f32]))), Tensor::scalar(1f32));
        let rule = |v, slot| OpTester::named("ResourceApplyAdagrad").input(v).input(slot).input(one.clone());
        for (v, slot) in [(v.clone(), handle(&step, "slot", None)), (handle(&step, "w", None), v)] {
            let error = rule(v, slot).input(tensor(&[1], &[1f32])).step(&step).run().unwrap_err();
            assert_eq!((error.code(), error.bare_message()), (Code::Internal, "Invalid variable reference."));
        }
    }
}
