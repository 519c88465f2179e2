//! `TensorStack`: a stack of tensors that lives as long as its step; the gradients of loops keep values of iterations on it (TF: `Stack`).

use super::resource_handle::{object, string_handle, unique_number};
use ferroflow_graph::kernel::{OpKernelContext, Resource};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, ResourceHandle, Result, Tensor};
use parking_lot::Mutex;
use std::sync::Arc;

/// Container of step resources that stacks lie in.
const CONTAINER: &str = "_stacks";

#[derive(Default)]
struct State {
    tensors: Vec<Tensor>,
    is_closed: bool,
}

/// A stack.
pub(super) struct TensorStack {
    name: String,
    dtype: DType,
    /// Most tensors; none: without limit.
    capacity: Option<usize>,
    state: Mutex<State>,
}

impl Resource for TensorStack {
    fn type_name(&self) -> &'static str {
        "Stack"
    }
}

/// The kernel of `Stack` and `StackV2`: each execution makes a new stack.
///
/// Errors: `InvalidArgument` if the size is no scalar.
pub(super) fn make(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let size = if ctx.num_inputs() > 0 { ctx.scalar::<i32>(0, "Stack size")? } else { -1 };
    let base = attrs.str("stack_name")?;
    let base = if base.is_empty() { &ctx.node.name } else { base };
    let step_resources = &ctx.step.step_resources;
    // Numbered over all steps: a client may compare the handles of two.
    let name = format!("{base}_{}", unique_number(ctx.resources())?);
    let stack =
        TensorStack { name: name.clone(), dtype: attrs.dtype("elem_type")?, capacity: usize::try_from(size).ok(), state: Mutex::default() };
    step_resources.create(CONTAINER, &name, Arc::new(stack))?;
    if ctx.node.output_types[0].is_ref {
        let handle = string_handle(CONTAINER, &name)?;
        ctx.set_output_ref(0, handle);
    } else {
        let device = ctx.step.device.name.to_string();
        let handle = ResourceHandle { device, container: CONTAINER.to_owned(), name, ..ResourceHandle::default() };
        ctx.set_output(0, Tensor::resource(handle));
    }
    Ok(())
}

fn stack(ctx: &OpKernelContext) -> Result<Arc<TensorStack>> {
    object(&ctx.step.step_resources, ctx.value(0)?)
}

/// The kernel of `StackPush`: the tensor goes onto the stack and comes out again.
///
/// Errors: `InvalidArgument` for another type, a full or a closed stack.
pub(super) fn push(ctx: &mut OpKernelContext) -> Result<()> {
    let stack = stack(ctx)?;
    let element = ctx.input(1)?.clone();
    if element.dtype() != stack.dtype {
        return Err(invalid_argument(format!("Must have type {} but got {}", stack.dtype, element.dtype())));
    }
    {
        let mut state = stack.state.lock();
        stack.check_open(&state)?;
        if let Some(capacity) = stack.capacity
            && state.tensors.len() >= capacity
        {
            return Err(invalid_argument(format!("Stack[{}] overflowed its max_size ({capacity})", stack.name)));
        }
        state.tensors.push(element);
    }
    ctx.pass_on(1, 0)
}

/// The kernel of `StackPop`.
///
/// Errors: `InvalidArgument` for another type, an empty or a closed stack.
pub(super) fn pop(ctx: &mut OpKernelContext) -> Result<()> {
    let stack = stack(ctx)?;
    let dtype = ctx.node.attrs.dtype("elem_type")?;
    if dtype != stack.dtype {
        return Err(invalid_argument(format!("Must have type {} but got {dtype}", stack.dtype)));
    }
    let element = {
        let mut state = stack.state.lock();
        stack.check_open(&state)?;
        state.tensors.pop()
    };
    let element = element.ok_or_else(|| invalid_argument(format!("Stack[{}] is empty when calling Pop().", stack.name)))?;
    ctx.set_output(0, element);
    Ok(())
}

/// The kernel of `StackClose`.
///
/// Errors: `NotFound` for an unknown stack.
pub(super) fn close(ctx: &mut OpKernelContext) -> Result<()> {
    *stack(ctx)?.state.lock() = State { tensors: vec![], is_closed: true };
    Ok(())
}

impl TensorStack {
    fn check_open(&self, state: &State) -> Result<()> {
        if state.is_closed { Err(invalid_argument(format!("Stack[{}] has already been closed.", self.name))) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, bare_step};
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::Code;

    fn stack(step: &Arc<StepContext>, size: i32) -> Tensor {
        OpTester::named("StackV2").input(Tensor::scalar(size)).attr("elem_type", DType::Float).step(step).run_one().unwrap()
    }

    fn push(step: &Arc<StepContext>, handle: &Tensor, value: Tensor) -> Result<Tensor> {
        OpTester::named("StackPushV2").input(handle.clone()).input(value).step(step).run_one()
    }

    fn pop(step: &Arc<StepContext>, handle: &Tensor) -> Result<Tensor> {
        OpTester::named("StackPopV2").input(handle.clone()).attr("elem_type", DType::Float).step(step).run_one()
    }

    #[test]
    fn the_last_tensor_pushed_is_the_first_popped() {
        let step = bare_step(1);
        let (a, b) = (stack(&step, -1), stack(&step, -1));
        for x in [1f32, 2.0] {
            assert_eq!(push(&step, &a, Tensor::scalar(x)).unwrap().to_scalar::<f32>().unwrap(), x);
        }
        push(&step, &b, Tensor::scalar(9f32)).unwrap();
        assert_eq!(pop(&step, &a).unwrap().to_scalar::<f32>().unwrap(), 2.0);
        assert_eq!(pop(&step, &a).unwrap().to_scalar::<f32>().unwrap(), 1.0);
        assert!(pop(&step, &a).unwrap_err().bare_message().ends_with("is empty when calling Pop()."));
        OpTester::named("StackCloseV2").input(a.clone()).step(&step).run().unwrap();
        assert!(push(&step, &a, Tensor::scalar(1f32)).unwrap_err().bare_message().ends_with("has already been closed."));
    }

    #[test]
    fn size_and_type_are_checked() {
        let step = bare_step(1);
        let handle = stack(&step, 1);
        assert_eq!(push(&step, &handle, Tensor::scalar(1i32)).unwrap_err().code(), Code::InvalidArgument);
        push(&step, &handle, Tensor::scalar(1f32)).unwrap();
        assert!(push(&step, &handle, Tensor::scalar(1f32)).unwrap_err().bare_message().ends_with("overflowed its max_size (1)"));
        let other = bare_step(1);
        assert_eq!(pop(&other, &handle).unwrap_err().code(), Code::NotFound, "a stack belongs to its step");
    }
}
