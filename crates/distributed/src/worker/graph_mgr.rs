//! Registered graphs: a master's part for this task, split over the task's devices and made ready to run (TF: `GraphMgr`).

use super::Worker;
use super::session::WorkerSession;
use crate::interface::RegisterGraphRequest;
use ferroflow_graph::{NodeGraph, OpRegistry};
use ferroflow_graph::kernel::{ComputePool, FunctionRuntime};
use ferroflow_runtime::partition::{PartitionOptions, partition};
use ferroflow_runtime::{Device, Executor, ExecutorParams, FunctionLibraryRuntime};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::sync::Arc;

/// The part of a graph that runs on one device.
pub(super) struct DevicePart {
    pub(super) device: Arc<Device>,
    pub(super) executor: Arc<Executor>,
    pub(super) functions: Option<Arc<dyn FunctionRuntime>>,
    pub(super) pool: Arc<dyn ComputePool>,
    pub(super) graph: Arc<NodeGraph>,
}

/// A graph that is ready to run.
pub(super) struct RegisteredGraph {
    /// One per device that has nodes.
    pub(super) parts: Vec<DevicePart>,
}

impl Worker {
    /// Registers a graph; the answer is its handle.
    ///
    /// Errors: `Aborted` for an unknown session; `InvalidArgument` for nodes without a device of this task, or without a kernel.
    pub fn register_graph(&self, request: RegisterGraphRequest) -> Result<String> {
        let session = self.session(&request.session_handle, request.create_worker_session_called)?;
        let graph = build(self, &session, &request.graph)?;
        Ok(session.keep(graph))
    }
}

fn build(worker: &Worker, session: &WorkerSession, graph: &Arc<NodeGraph>) -> Result<RegisteredGraph> {
    for node in graph.nodes() {
        let name = if node.assigned_device.is_empty() { &node.requested_device } else { &node.assigned_device };
        if name.is_empty() {
            return Err(invalid_argument(format!("Node '{}' is missing a device specification", node.info.name)));
        }
        if session.device(name).is_none() {
            return Err(invalid_argument(format!("{name} unknown device.")).at_node(&node.info.name));
        }
    }
    // Nearly every task has one device, and then there is nothing to split.
    let by_device: Vec<(Arc<str>, Arc<NodeGraph>)> = match session.devices() {
        [only] => vec![(only.device.info.name.clone(), graph.clone())],
        _ => split(session, graph, &worker.env.registry)?.into_iter().map(|(name, part)| (name, Arc::new(part))).collect(),
    };
    let mut parts = Vec::with_capacity(by_device.len());
    for (name, graph) in by_device {
        if graph.is_empty() {
            continue;
        }
        let place = session.device(&name).ok_or_else(|| invalid_argument(format!("{name} unknown device.")))?;
        let mut params = ExecutorParams {
            device: place.device.clone(),
            pool: worker.env.pool.clone(),
            kernels: place.kernels.clone(),
            functions: None,
            registry: worker.env.registry.clone(),
        };
        if !graph.library.is_empty() {
            params.functions = Some(FunctionLibraryRuntime::new(graph.library.clone(), &params));
        }
        let executor = Executor::new(&graph, &params)?;
        parts.push(DevicePart { device: place.device.clone(), executor, functions: params.functions, pool: params.pool, graph });
    }
    Ok(RegisteredGraph { parts })
}

fn split(session: &WorkerSession, graph: &NodeGraph, registry: &OpRegistry) -> Result<std::collections::BTreeMap<Arc<str>, NodeGraph>> {
    let mut serial = 0u64;
    let mut new_name = |base: &str| {
        serial += 1;
        format!("{base}_G{serial}")
    };
    partition(
        graph,
        PartitionOptions {
            part_of: &|device| Ok(device.into()),
            incarnation: &|device| {
                session
                    .device(device)
                    .map(|d| d.device.info.incarnation)
                    .ok_or_else(|| invalid_argument(format!("{device} unknown device.")))
            },
            new_name: &mut new_name,
            registry,
        },
    )
}
