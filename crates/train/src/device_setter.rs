//! `replica_device_setter`: variables go to parameter servers, everything else to the worker (TF's function of that name).

use ferroflow_graph::{DeviceScope, OpToPlace};
use ferroflow_tensor::DeviceSpec;
use parking_lot::Mutex;
use std::sync::Arc;

/// Ops that hold state which workers share.
const PS_OPS: &[&str] = &[
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "ResourceConditionalAccumulator",
];

/// Chooses the parameter server of each variable, in order of creation.
pub trait PsStrategy: Send {
    /// The task index for this op.
    fn choose(&mut self, op: &OpToPlace, num_ps: u32) -> u32;
}

/// One server after the other (TF's default).
#[derive(Default)]
pub struct RoundRobin {
    next: u32,
}

impl PsStrategy for RoundRobin {
    fn choose(&mut self, _: &OpToPlace, num_ps: u32) -> u32 {
        let task = self.next % num_ps;
        self.next = (task + 1) % num_ps;
        task
    }
}

/// The server that holds the fewest bytes so far, the first of equals (TF: `GreedyLoadBalancingStrategy` by bytes).
#[derive(Default)]
pub struct GreedyByBytes {
    loads: Vec<u64>,
}

impl PsStrategy for GreedyByBytes {
    fn choose(&mut self, op: &OpToPlace, num_ps: u32) -> u32 {
        self.loads.resize(num_ps as usize, 0);
        let (task, load) =
            self.loads.iter_mut().enumerate().min_by_key(|(i, l)| (**l, *i)).unwrap_or_else(|| unreachable!("num_ps is positive"));
        let attrs = &op.info.attrs;
        let elements = attrs.shape("shape").ok().and_then(|s| s.to_shape()).map_or(1, |s| s.num_elements() as u64);
        let element = attrs.dtype("dtype").map_or(1, |d| d.size().max(1) as u64);
        *load = load.saturating_add(elements.saturating_mul(element));
        task as u32
    }
}

/// A device scope that spreads variables over `num_ps` parameter servers and puts all other ops on `worker_device`. What an op's own
/// scopes say wins, part by part. Without parameter servers it constrains only to the worker.
pub fn replica_device_setter(num_ps: u32, worker_device: DeviceSpec, strategy: impl PsStrategy + 'static) -> DeviceScope {
    let strategy = Mutex::new(strategy);
    DeviceScope::Function(Arc::new(move |op: &OpToPlace| {
        if num_ps == 0 || !PS_OPS.contains(&op.info.op_name()) {
            return worker_device.overridden_by(op.device);
        }
        let mut ps = DeviceSpec { job: Some("ps".to_owned()), ..DeviceSpec::default() };
        if op.device.job.is_none() || op.device.job == ps.job {
            ps.task = Some(strategy.lock().choose(op, num_ps));
        }
        ps.overridden_by(op.device)
    }))
}
