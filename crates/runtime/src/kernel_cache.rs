//! `KernelCache`: kernels made from nodes; those of stateful ops are shared by all graphs of a session (TF: `OpSegment`).
//!
//! A queue that no name shares belongs to its kernel and lives as long as the kernel does, which is until the session's cache is dropped.

use crate::Device;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpKernel, FunctionRuntime, KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::op::{Cost, KernelFactory};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// A kernel that is ready to run.
pub(crate) enum BuiltKernel {
    Function(fn(&mut OpKernelContext) -> Result<()>),
    Sync(Box<dyn OpKernel>),
    Async(Box<dyn AsyncOpKernel>),
}

/// A node's kernel, and the node that it was made for: graphs that come later with the same name use both.
pub(crate) struct NodeKernel {
    pub(crate) node: Arc<NodeInfo>,
    pub(crate) kernel: BuiltKernel,
    pub(crate) cost: Cost,
}

/// The kernels of stateful ops of one session on one device, by node name.
#[derive(Default)]
pub struct KernelCache {
    stateful: Mutex<HashMap<Arc<str>, Arc<NodeKernel>>>,
}

impl KernelCache {
    /// An empty cache.
    pub fn new() -> KernelCache {
        KernelCache::default()
    }

    /// How many kernels it holds.
    pub fn len(&self) -> usize {
        self.stateful.lock().len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kernel of a node: for a stateful op the one that an earlier graph of the session made under this name, if it is of the same op.
    pub(crate) fn get(
        &self,
        node: &Arc<NodeInfo>,
        device: &Device,
        functions: Option<&Arc<dyn FunctionRuntime>>,
    ) -> Result<Arc<NodeKernel>> {
        if !node.op.def.is_stateful {
            return make(node, device, functions).map(Arc::new);
        }
        let same = |k: &&Arc<NodeKernel>| k.node.op_name() == node.op_name();
        if let Some(kernel) = self.stateful.lock().get(&node.name).filter(same) {
            return Ok(kernel.clone());
        }
        // Made outside the lock: kernels may build graphs of functions. The first of two racing makers wins.
        let made = Arc::new(make(node, device, functions)?);
        let mut stateful = self.stateful.lock();
        if let Some(kernel) = stateful.get(&node.name).filter(same) {
            return Ok(kernel.clone());
        }
        stateful.insert(node.name.clone(), made.clone());
        Ok(made)
    }
}

fn make(node: &Arc<NodeInfo>, device: &Device, functions: Option<&Arc<dyn FunctionRuntime>>) -> Result<NodeKernel> {
    let registered = node.op.kernel(device.device_type(), &node.attrs)?;
    let construction = KernelConstruction { node, device: &device.info, resources: &device.resources, functions };
    let kernel = match registered.factory {
        KernelFactory::Function(f) => BuiltKernel::Function(f),
        KernelFactory::Sync(build) => BuiltKernel::Sync(build(&construction)?),
        KernelFactory::Async(build) => BuiltKernel::Async(build(&construction)?),
        KernelFactory::ControlFlow => {
            return Err(internal(format!("the executor does not know the control-flow op {}", node.op_name())));
        }
    };
    Ok(NodeKernel { node: node.clone(), kernel, cost: registered.cost })
}
