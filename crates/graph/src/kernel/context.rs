//! `OpKernel` and its context (TF: `OpKernel`, `AsyncOpKernel`, `OpKernelContext`, `OpKernelConstruction`).

use super::{DeviceInfo, FrameAndIter, FunctionRuntime, Outputs, Received, RendezvousKey, ResourceManager, StepContext, Value, Variable};
use crate::node::NodeInfo;
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{DType, Element, Error, Result, Shape, Tensor};
use std::sync::Arc;

/// What a kernel may look at when it is made.
pub struct KernelConstruction<'a> {
    /// The node.
    pub node: &'a Arc<NodeInfo>,
    /// The device.
    pub device: &'a Arc<DeviceInfo>,
    /// The device's resources.
    pub resources: &'a Arc<ResourceManager>,
    /// Functions of the graph, if it has any.
    pub functions: Option<&'a Arc<dyn FunctionRuntime>>,
}

/// A kernel that computes and returns. It may be called for several steps at once.
pub trait OpKernel: Send + Sync {
    /// Computes the outputs from the inputs.
    ///
    /// Errors: fail the step, with the node's name added.
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()>;
}

/// Called once with the outputs.
pub type Done = Box<dyn FnOnce(Result<Outputs>) + Send>;

/// A kernel that may wait. While it waits it holds no thread; whoever ends the wait calls `done`.
pub trait AsyncOpKernel: Send + Sync {
    /// Starts the work. `done` must be called exactly once, from any thread, also when the step is cancelled.
    fn compute_async(&self, ctx: AsyncOpContext, done: Done);
}

/// Inputs of a kernel that may wait; owned, because it outlives the call.
pub struct AsyncOpContext {
    /// The node.
    pub node: Arc<NodeInfo>,
    /// The step.
    pub step: Arc<StepContext>,
    /// Loop frame and iteration, for rendezvous keys.
    pub frame_iter: FrameAndIter,
    /// The inputs.
    pub inputs: Vec<Value>,
    /// Whether an input is dead. Only transfer ops (`_Send`, `_HostSend`, `_Recv`, `_HostRecv`) are run then; for every other op it is
    /// false. A dead send passes this on as `Received::is_dead`; its input then is an empty tensor of the right type. A receive
    /// that is told of a dead tensor leaves its output `None`, which makes it dead here too.
    pub is_input_dead: bool,
}

impl AsyncOpContext {
    /// Input `i`; a reference has been read by the executor unless the op takes references there.
    ///
    /// Errors: `Internal` if there is no such input or it is a reference.
    #[inline]
    pub fn input(&self, i: usize) -> Result<&Tensor> {
        match self.inputs.get(i) {
            Some(Value::Tensor(t)) => Ok(t),
            other => Err(no_tensor(other, i, self.inputs.len())),
        }
    }

    /// The variable that input `i` refers to.
    ///
    /// Errors: `Internal` if there is no such input or it is no reference.
    #[inline]
    pub fn input_ref(&self, i: usize) -> Result<&Arc<Variable>> {
        match self.inputs.get(i) {
            Some(Value::Ref(v)) => Ok(v),
            other => Err(no_reference(other, i, self.inputs.len())),
        }
    }
}

#[cold]
fn no_tensor(have: Option<&Value>, i: usize, n: usize) -> Error {
    match have {
        Some(Value::Ref(_)) => internal(format!("input {i} is a reference where a value is expected")),
        _ => no_input(i, n),
    }
}

#[cold]
fn no_reference(have: Option<&Value>, i: usize, n: usize) -> Error {
    match have {
        Some(Value::Tensor(_)) => internal(format!("input {i} is a value where a reference is expected")),
        _ => no_input(i, n),
    }
}

#[cold]
fn no_input(i: usize, n: usize) -> Error {
    match i < n {
        true => internal(format!("input {i} is not there: it has not arrived, or was taken before")),
        false => internal(format!("there is no input {i}, only {n}")),
    }
}

/// One call of a kernel.
pub struct OpKernelContext<'a> {
    /// The node.
    pub node: &'a Arc<NodeInfo>,
    /// The step.
    pub step: &'a Arc<StepContext>,
    /// Loop frame and iteration, for rendezvous keys.
    pub frame_iter: FrameAndIter,
    /// Whether an input is dead; see [`AsyncOpContext::is_input_dead`].
    pub is_input_dead: bool,
    inputs: &'a mut [Option<Value>],
    outputs: &'a mut Outputs,
}

impl<'a> OpKernelContext<'a> {
    /// A context over these inputs, all of which are there; `outputs` is filled with one empty place per output of the node.
    pub fn new(
        node: &'a Arc<NodeInfo>,
        step: &'a Arc<StepContext>,
        frame_iter: FrameAndIter,
        inputs: &'a mut [Option<Value>],
        outputs: &'a mut Outputs,
    ) -> OpKernelContext<'a> {
        OpKernelContext::with_num_outputs(node, node.output_types.len(), step, frame_iter, inputs, outputs)
    }

    /// As [`OpKernelContext::new`], for an executor that knows how many outputs the node has: the node itself, which may be far away in
    /// memory, is not looked at unless the kernel does.
    #[inline]
    pub fn with_num_outputs(
        node: &'a Arc<NodeInfo>,
        num_outputs: usize,
        step: &'a Arc<StepContext>,
        frame_iter: FrameAndIter,
        inputs: &'a mut [Option<Value>],
        outputs: &'a mut Outputs,
    ) -> OpKernelContext<'a> {
        outputs.clear();
        match num_outputs {
            1 => outputs.push(None),
            n => outputs.resize(n, None),
        }
        OpKernelContext { node, step, frame_iter, is_input_dead: false, inputs, outputs }
    }

    /// How many inputs there are.
    #[inline]
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Input `i`. References have been read by the executor, unless the op takes references there.
    ///
    /// Errors: `Internal` if there is no such input or it is a reference.
    #[inline]
    pub fn input(&self, i: usize) -> Result<&Tensor> {
        match self.inputs.get(i) {
            Some(Some(Value::Tensor(t))) => Ok(t),
            other => Err(no_tensor(other.and_then(Option::as_ref), i, self.inputs.len())),
        }
    }

    /// The elements of input `i`.
    ///
    /// Errors: `InvalidArgument` if it is of another type; as [`OpKernelContext::input`].
    pub fn slice<T: Element>(&self, i: usize) -> Result<&[T]> {
        self.input(i)?.as_slice()
    }

    /// The only element of input `i`, named in the error by `name`.
    ///
    /// Errors: `InvalidArgument` if it is not a scalar (rank 0) of this type.
    pub fn scalar<T: Element>(&self, i: usize, name: &str) -> Result<T> {
        let t = self.input(i)?;
        if !t.shape().is_scalar() {
            return Err(invalid_argument(format!("{name} must be a scalar, but received tensor of shape: {}", t.shape())));
        }
        t.to_scalar()
    }

    /// Takes input `i` out, so that its memory may be reused if nobody else holds it.
    ///
    /// Errors: as [`OpKernelContext::input`]; so is asking for the input again.
    #[inline]
    pub fn take_input(&mut self, i: usize) -> Result<Tensor> {
        let n = self.inputs.len();
        match self.inputs.get_mut(i) {
            Some(input @ Some(Value::Tensor(_))) => match input.take() {
                Some(Value::Tensor(t)) => Ok(t),
                _ => Err(no_input(i, n)),
            },
            other => Err(no_tensor(other.and_then(|v| v.as_ref()), i, n)),
        }
    }

    /// The variable that input `i` refers to.
    ///
    /// Errors: `Internal` if there is no such input or it is no reference.
    #[inline]
    pub fn input_ref(&self, i: usize) -> Result<&Arc<Variable>> {
        match self.inputs.get(i) {
            Some(Some(Value::Ref(v))) => Ok(v),
            other => Err(no_reference(other.and_then(Option::as_ref), i, self.inputs.len())),
        }
    }

    /// Sends input `i`, or word that it is dead. A variable is read when it is received: a TensorFlow master cuts `read_value()` on
    /// another task into a send that nothing orders after the update before it, and a receive that comes after that update.
    ///
    /// Errors: of [`Rendezvous::send_variable`](super::Rendezvous::send_variable); `Internal` if there is no such input.
    pub fn send_input(&self, i: usize, key: &RendezvousKey) -> Result<()> {
        match self.value(i)? {
            Value::Ref(variable) if !self.is_input_dead => self.step.rendezvous.send_variable(key, variable),
            _ => self.step.rendezvous.send(key, Received { tensor: self.input(i)?.clone(), is_dead: self.is_input_dead }),
        }
    }

    /// Input `i` as it came.
    ///
    /// Errors: `Internal` if there is no such input.
    #[inline]
    pub fn value(&self, i: usize) -> Result<&Value> {
        match self.inputs.get(i) {
            Some(Some(value)) => Ok(value),
            _ => Err(no_input(i, self.inputs.len())),
        }
    }

    /// Memory for an output: that of input `i` if nobody else holds it and type and size fit (its old elements are then in it: use
    /// this only for element-wise work that reads and writes the same place through [`OpKernelContext::take_input`]).
    ///
    /// Returns the tensor with the input's elements, or `None`.
    #[inline]
    pub fn forward_input(&mut self, i: usize, dtype: DType, shape: &Shape) -> Option<Tensor> {
        let t = self.input(i).ok()?;
        if t.dtype() != dtype || t.num_elements() != shape.num_elements() || !t.is_unique() {
            return None;
        }
        self.take_input(i).ok()?.reshaped(shape.clone()).ok()
    }

    /// Sets output `i`.
    #[inline]
    pub fn set_output(&mut self, i: usize, tensor: Tensor) {
        debug_assert_eq!(tensor.dtype(), self.node.output_types[i].dtype, "output {i} of {}", self.node.name);
        self.outputs[i] = Some(Value::Tensor(tensor));
    }

    /// Sets output `i` to a reference.
    #[inline]
    pub fn set_output_ref(&mut self, i: usize, variable: Arc<Variable>) {
        self.outputs[i] = Some(Value::Ref(variable));
    }

    /// Passes input `i` on as output `j`, whatever it is.
    ///
    /// Errors: `Internal` if there is no such input.
    #[inline]
    pub fn pass_on(&mut self, i: usize, j: usize) -> Result<()> {
        let value = self.value(i)?.clone();
        self.outputs[j] = Some(value);
        Ok(())
    }

    /// The device's resources.
    #[inline]
    pub fn resources(&self) -> &Arc<ResourceManager> {
        &self.step.resources
    }
}
