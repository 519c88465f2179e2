//! Runs one node by itself, for constant folding.

use super::Evaluate;
use crate::{Device, LocalRendezvous};
use ferroflow_graph::kernel::{
    CancellationManager, ComputePool, FrameAndIter, KernelConstruction, OpKernelContext, Outputs, ResourceManager, StepContext, Value,
};
use ferroflow_graph::op::KernelFactory;
use ferroflow_tensor::Tensor;
use ferroflow_tensor::error::{internal, unimplemented};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Computes single nodes on a device of this task, whatever device they are placed on.
pub fn evaluator(device: &Device, pool: &Arc<dyn ComputePool>) -> Box<Evaluate<'static>> {
    let step = Arc::new(StepContext {
        step_id: 0,
        session: "".into(),
        device: device.info.clone(),
        resources: device.resources.clone(),
        step_resources: Arc::new(ResourceManager::new("")),
        rendezvous: Arc::new(LocalRendezvous::new()),
        cancellation: Arc::new(CancellationManager::new()),
        pool: pool.clone(),
        functions: None,
    });
    let device_type = device.device_type().to_owned();
    Box::new(move |node, inputs: &[Tensor]| {
        let kernel = node.op.kernel(&device_type, &node.attrs)?;
        let mut values: Vec<Option<Value>> = inputs.iter().cloned().map(|t| Some(Value::Tensor(t))).collect();
        let mut outputs = Outputs::new();
        let mut ctx = OpKernelContext::new(node, &step, FrameAndIter::default(), &mut values, &mut outputs);
        let compute = AssertUnwindSafe(|| match kernel.factory {
            KernelFactory::Function(f) => f(&mut ctx),
            KernelFactory::Sync(build) => {
                let built = KernelConstruction { node, device: &step.device, resources: &step.resources, functions: None };
                build(&built)?.compute(&mut ctx)
            }
            KernelFactory::Async(_) | KernelFactory::ControlFlow => Err(unimplemented("only kernels that do not wait are run alone")),
        });
        catch_unwind(compute).unwrap_or_else(|_| Err(internal(format!("the kernel of {} panicked", node.name))))?;
        match outputs.first() {
            Some(Some(Value::Tensor(t))) => Ok(t.clone()),
            _ => Err(internal(format!("the kernel of {} left no output", node.name))),
        }
    })
}
