//! `MasterSession`: one client session on its master (TF: `MasterSession`).

mod callable;
mod compile;
mod graph_state;
mod lost;
mod partial_run;
mod requests;
mod run;
mod running;
mod shard_writers;
mod step_cache;
mod step_run;

use crate::call::{CallOptions, join_all, pending};
use crate::cluster::TaskId;
use crate::env::WorkerEnv;
use crate::master::config::SessionConfig;
use crate::master::{CLOSE_LIMIT, MasterEnv, first};
use crate::worker_interface::{CreateWorkerSessionRequest, DeviceAttributes, WorkerCache, WorkerInterface};
use crate::worker_session::WorkerSession;
use callable::Callables;
use ferroflow_graph::NodeGraph;
use ferroflow_graph::kernel::DeviceInfo;
use ferroflow_runtime::placer::{Placer, PlacerDevice};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{DeviceSpec, Result};
use graph_state::GraphState;
use lost::Lost;
use parking_lot::Mutex;
use partial_run::PartialRuns;
use running::Running;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use step_cache::StepCache;

pub use requests::{CallableOptions, ExtendRequest, RunMetadata, RunOptions, RunRequest, RunResponse, Signature, TensorConnection};

/// A device as a session sees it: under the name that its task has in the session's cluster.
#[derive(Clone, Debug)]
pub(crate) struct SessionDevice {
    pub name: String,
    pub spec: DeviceSpec,
    pub incarnation: u64,
    pub is_local: bool,
    attributes: DeviceAttributes,
}

impl SessionDevice {
    /// The device of a task.
    ///
    /// Errors: `InvalidArgument` for a malformed name.
    pub fn new(task: &TaskId, attributes: DeviceAttributes, is_local: bool) -> Result<SessionDevice> {
        let reported = DeviceSpec::parse(&attributes.name)?;
        let spec = DeviceSpec { job: Some(task.job.clone()), replica: Some(0), task: Some(task.index), ..reported };
        let name = spec.to_string();
        Ok(SessionDevice {
            incarnation: attributes.incarnation,
            attributes: DeviceAttributes { name: name.clone(), ..attributes },
            name,
            spec,
            is_local,
        })
    }
}

/// What a session is made of.
pub(crate) struct SessionSeed {
    pub env: Arc<MasterEnv>,
    pub config: SessionConfig,
    pub cache: Arc<dyn WorkerCache>,
    /// This task in the session's cluster.
    pub own: TaskId,
    /// The other tasks that take part.
    pub peers: Vec<TaskId>,
    pub devices: Vec<SessionDevice>,
}

/// A session on its master.
pub struct MasterSession {
    handle: Arc<str>,
    own_name: Arc<str>,
    seed: SessionSeed,
    /// Where the client's tensors are.
    client_device: DeviceInfo,
    graph: Mutex<GraphState>,
    steps: StepCache,
    callables: Callables,
    partial_runs: PartialRuns,
    running: Running,
    lost: Lost,
    local: OnceLock<Arc<WorkerSession>>,
    /// For names of nodes that cutting adds.
    names: AtomicU64,
    runs: AtomicU64,
    created: Instant,
    /// Milliseconds from the creation to the last use.
    last_used: AtomicU64,
}

/// A random step id; TF keeps the top bits free.
fn new_step_id() -> i64 {
    const BITS: u64 = (1 << 57) - 1;
    ((rand::random::<u64>() & BITS) as i64).max(1)
}

impl MasterSession {
    /// A session over a graph, which is placed.
    ///
    /// Errors: those of placing.
    pub(crate) fn new(seed: SessionSeed, graph: NodeGraph) -> Result<Arc<MasterSession>> {
        let client = seed.devices.iter().find(|d| d.is_local).ok_or_else(|| internal("the master's task has no device"))?;
        let client_device = DeviceInfo { name: client.name.as_str().into(), spec: client.spec.clone(), incarnation: client.incarnation };
        let devices = seed.devices.iter().map(|d| PlacerDevice::new(d.spec.clone(), d.is_local)).collect();
        let registry = &seed.env.worker_env().registry;
        let graph = GraphState::new(graph, Placer::new(devices, seed.config.allow_soft_placement), registry)?;
        if seed.config.log_device_placement {
            for node in graph.placed().nodes() {
                tracing::info!("{}: ({}): {}", node.info.name, node.info.op_name(), node.assigned_device);
            }
        }
        Ok(Arc::new(MasterSession {
            handle: format!("{:016x}", rand::random::<u64>()).into(),
            own_name: seed.own.name().into(),
            seed,
            client_device,
            graph: Mutex::new(graph),
            steps: StepCache::default(),
            callables: Callables::default(),
            partial_runs: PartialRuns::default(),
            running: Running::default(),
            lost: Lost::default(),
            local: OnceLock::new(),
            names: AtomicU64::new(0),
            runs: AtomicU64::new(0),
            created: Instant::now(),
            last_used: AtomicU64::new(0),
        }))
    }

    /// Its handle.
    pub fn handle(&self) -> &Arc<str> {
        &self.handle
    }

    pub(crate) fn seed(&self) -> &SessionSeed {
        &self.seed
    }

    /// Opens the session on this task's own worker.
    pub(crate) fn open_local(&self, env: &WorkerEnv, request: &CreateWorkerSessionRequest) -> Result<()> {
        let session = self.seed.env.worker.sessions().create(env, request)?;
        self.local.get_or_init(|| session);
        Ok(())
    }

    fn local(&self) -> Result<&Arc<WorkerSession>> {
        self.local.get().ok_or_else(|| internal("the session is not open on its own task"))
    }

    /// The way to a task, this one included.
    fn worker(&self, task: &str) -> Result<Arc<dyn WorkerInterface>> {
        if *task == *self.own_name {
            return Ok(Arc::new(self.seed.env.worker.clone()));
        }
        let found = self.seed.peers.iter().find(|p| p.name() == task).and_then(|p| self.seed.cache.worker(p));
        found.ok_or_else(|| invalid_argument(format!("there is no way to {task}")))
    }

    /// A task with its address, for messages.
    fn describe_task(&self, task: &str) -> String {
        let address = self.seed.peers.iter().find(|p| p.name() == task).and_then(|p| self.seed.cache.cluster().address(p));
        address.map_or_else(|| task.to_owned(), |a| format!("{task} at {a}"))
    }

    fn next_run(&self) -> u64 {
        self.runs.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds to the graph; returns its new version.
    pub(crate) fn extend(&self, request: ExtendRequest) -> Result<i64> {
        if self.running.is_closed() {
            return Err(ferroflow_tensor::error::failed_precondition("Session is closed."));
        }
        self.graph.lock().extend(request, &self.seed.env.worker_env().registry)
    }

    /// Devices as (local, remote): all count as local, unless the client brought its own cluster.
    pub(crate) fn list_devices(&self) -> (Vec<DeviceAttributes>, Vec<DeviceAttributes>) {
        let brought = self.seed.config.cluster.is_some();
        let (local, remote): (Vec<_>, Vec<_>) = self.seed.devices.iter().partition(|d| d.is_local || !brought);
        let attributes = |list: Vec<&SessionDevice>| list.into_iter().map(|d| d.attributes.clone()).collect();
        (attributes(local), attributes(remote))
    }

    /// Notes that it is used.
    pub(crate) fn touch(&self) {
        self.last_used.store(self.created.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// How long nobody has used it; nothing while a run goes on.
    pub fn idle(&self) -> Duration {
        if self.running.len() > 0 {
            return Duration::ZERO;
        }
        self.created.elapsed().saturating_sub(Duration::from_millis(self.last_used.load(Ordering::Relaxed)))
    }

    /// How long it has existed.
    pub fn age(&self) -> Duration {
        self.created.elapsed()
    }

    /// How many runs go on, and how many are compiled.
    pub fn load(&self) -> (usize, usize) {
        (self.running.len(), self.steps.len())
    }

    /// Ends the session: its runs are cancelled and waited for, its worker sessions deleted. Trouble with workers is logged, in one line.
    pub(crate) async fn close(&self) {
        let timer = &self.seed.env.worker_env().timer;
        let ended = pin!(pending(|done| self.running.close(done)));
        if first(ended, timer.sleep(CLOSE_LIMIT)).await.is_none() {
            tracing::warn!(session = %self.handle, "closing a session although some of its steps do not end");
        }
        self.partial_runs.end_all(self);
        self.seed.env.worker.sessions().delete(&self.handle);
        let calls =
            self.seed.peers.iter().filter_map(|peer| Some((peer, self.seed.cache.worker(peer)?))).map(|(peer, worker)| async move {
                let answer = pending(|done| worker.delete_worker_session(CallOptions::within(CLOSE_LIMIT), self.handle.clone(), done));
                match first(pin!(answer), timer.sleep(CLOSE_LIMIT)).await {
                    Some(Ok(())) => None,
                    Some(Err(e)) => Some(format!("{} ({e})", peer.name())),
                    None => Some(format!("{} (no answer)", peer.name())),
                }
            });
        let failed: Vec<String> = join_all(calls).await.into_iter().flatten().collect();
        if !failed.is_empty() {
            tracing::warn!(session = %self.handle, "{} tasks did not confirm the end of a session: {}", failed.len(), failed.join("; "));
        }
    }
}
