//! `TestNode`: one node with its kernel, run as an executor runs it.

use ferroflow_graph::kernel::{
    AsyncOpContext, AsyncOpKernel, FrameAndIter, KernelConstruction, OpKernel, OpKernelContext, Outputs, StepContext, Value,
};
use ferroflow_graph::op::KernelFactory;
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_graph::{NodeInfo, OpSpec};
use ferroflow_tensor::error::{deadline_exceeded, internal, unimplemented};
use ferroflow_tensor::{PartialShape, Result, Tensor};
use std::sync::{Arc, mpsc};
use std::time::Duration;

enum BuiltKernel {
    Function(fn(&mut OpKernelContext) -> Result<()>),
    Sync(Box<dyn OpKernel>),
    Async(Box<dyn AsyncOpKernel>),
}

/// A node whose kernel is made and can be run again and again, keeping its state.
pub struct TestNode {
    node: Arc<NodeInfo>,
    step: Arc<StepContext>,
    kernel: BuiltKernel,
}

impl TestNode {
    /// Makes the CPU kernel of a node.
    ///
    /// Errors: `InvalidArgument` without a kernel for its types; what making it returns; `Unimplemented` for control flow.
    pub fn new(node: Arc<NodeInfo>, step: Arc<StepContext>) -> Result<TestNode> {
        let construction = KernelConstruction { node: &node, device: &step.device, resources: &step.resources, functions: None };
        let kernel = match node.op.kernel("CPU", &node.attrs)?.factory {
            KernelFactory::Function(f) => BuiltKernel::Function(f),
            KernelFactory::Sync(build) => BuiltKernel::Sync(build(&construction)?),
            KernelFactory::Async(build) => BuiltKernel::Async(build(&construction)?),
            KernelFactory::ControlFlow => return Err(unimplemented(format!("{} is part of the executor", node.op_name()))),
        };
        Ok(TestNode { node, step, kernel })
    }

    /// The node.
    pub fn node(&self) -> &Arc<NodeInfo> {
        &self.node
    }

    /// The op's spec.
    pub fn spec(&self) -> &'static OpSpec {
        self.node.op.spec
    }

    /// The step that it runs in.
    pub fn step(&self) -> &Arc<StepContext> {
        &self.step
    }

    /// Runs the kernel and compares the shapes of its outputs with what the shape function says. References are read first
    /// where the op does not take them.
    ///
    /// Errors: what the kernel returns; else what the shape function returns, or `Internal` if it disagrees with the kernel;
    /// `DeadlineExceeded` if a waiting kernel is not done after a minute.
    pub fn run(&self, mut inputs: Vec<Value>) -> Result<Outputs> {
        if inputs.len() != self.node.input_types.len() {
            return Err(internal(format!("{} takes {} inputs, got {}", self.node.name, self.node.input_types.len(), inputs.len())));
        }
        for (input, ty) in inputs.iter_mut().zip(&self.node.input_types) {
            if !ty.is_ref {
                *input = Value::Tensor(input.to_tensor()?);
            }
        }
        let seen: Vec<Option<Tensor>> = inputs.iter().map(|v| v.to_tensor().ok()).collect();
        // Kernels may reuse an input that nobody else holds; then its elements are gone when shapes are compared.
        let seen: Vec<Option<Tensor>> = seen.into_iter().map(|t| t.and_then(|t| t.deep_copy().ok())).collect();
        let outputs = self.run_kernel(inputs)?;
        self.check_shapes(&seen, &outputs)?;
        Ok(outputs)
    }

    fn run_kernel(&self, inputs: Vec<Value>) -> Result<Outputs> {
        let mut outputs = Outputs::new();
        let context = |inputs, outputs| OpKernelContext::new(&self.node, &self.step, FrameAndIter::default(), inputs, outputs);
        let taken = |inputs: Vec<Value>| inputs.into_iter().map(Some).collect::<Vec<_>>();
        match &self.kernel {
            BuiltKernel::Function(f) => f(&mut context(&mut taken(inputs), &mut outputs))?,
            BuiltKernel::Sync(k) => k.compute(&mut context(&mut taken(inputs), &mut outputs))?,
            BuiltKernel::Async(k) => {
                let (sender, receiver) = mpsc::channel();
                let ctx = AsyncOpContext {
                    node: self.node.clone(),
                    step: self.step.clone(),
                    frame_iter: FrameAndIter::default(),
                    inputs,
                    is_input_dead: false,
                };
                k.compute_async(ctx, Box::new(move |result| drop(sender.send(result))));
                outputs = receiver
                    .recv_timeout(Duration::from_secs(60))
                    .map_err(|_| deadline_exceeded(format!("{} is not done", self.node.name)))??;
            }
        }
        Ok(outputs)
    }

    /// The shape function must agree with the kernel, whether it knows the inputs' values, only their shapes, or nothing.
    fn check_shapes(&self, inputs: &[Option<Tensor>], outputs: &Outputs) -> Result<()> {
        let known: Vec<PartialShape> = inputs.iter().map(|t| t.as_ref().map_or_else(PartialShape::unknown, |t| t.shape().into())).collect();
        let of_rank: Vec<PartialShape> = known.iter().map(|s| s.rank().map_or_else(PartialShape::unknown, PartialShape::of_rank)).collect();
        let unknown = vec![PartialShape::unknown(); inputs.len()];
        let nothing = vec![None; inputs.len()];
        let nowhere = vec![None; inputs.len()];
        let handles = vec![None; inputs.len()];
        for (shapes, constants) in [(&known, inputs), (&known, &nothing), (&of_rank, &nothing), (&unknown, &nothing)] {
            let (inferred, _) = ShapeContext::new(&self.node, shapes, constants, &nowhere, &handles).infer()?;
            for (i, (shape, output)) in inferred.iter().zip(outputs).enumerate() {
                if let Some(Value::Tensor(t)) = output
                    && !shape.matches(t.shape())
                {
                    return Err(internal(format!(
                        "the shape function of {} says {shape} for output {i}, the kernel makes {}; inputs {shapes:?}",
                        self.node.op_name(),
                        t.shape()
                    )));
                }
            }
        }
        Ok(())
    }
}
