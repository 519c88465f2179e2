//! What a kernel sees: its node, its inputs and outputs, and the step that it runs in.

mod burst;
mod cancellation;
mod context;
mod rendezvous;
mod resource;
mod step;
mod value;
mod variable;

pub use burst::{Burst, PutOff, burst, resume_later, write_later, write_now};
pub use cancellation::{CancellationManager, CancellationToken};
pub use context::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction, OpKernel, OpKernelContext};
pub use rendezvous::{Received, RecvDone, Rendezvous, RendezvousKey};
pub use resource::{Resource, ResourceManager};
pub use step::{ComputePool, DeviceInfo, FrameAndIter, FunctionDone, FunctionHandle, FunctionRuntime, StepContext};
pub use value::{Outputs, Value};
pub use variable::Variable;
