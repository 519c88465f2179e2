//! CreateSession (TF: `Master::CreateSession`, `MasterSession::Create`).

use super::MasterEnv;
use super::config::SessionConfig;
use super::devices::{Peer, WaitLimits, find_devices};
use crate::call::{CallOptions, join_all, pending, shortly_before};
use crate::cluster::TaskId;
use crate::env::WorkerEnv;
use crate::master_session::{MasterSession, SessionDevice, SessionSeed};
use crate::worker_interface::{CreateWorkerSessionRequest, WorkerCache};
use ferroflow_graph::graph_def::{FromGraphDefOptions, extend};
use ferroflow_graph::{NodeGraph, OpRegistry};
use ferroflow_proto as pb;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DeviceSpec, Result};
use std::sync::Arc;

/// A client's graph, or what it adds to the graph of its session.
pub enum GraphSource {
    /// As a message: the graph, or only the new nodes.
    Def(Box<pb::GraphDef>),
    /// The whole graph as it is by now, for clients in this process. Nodes that the session has come first.
    Graph(NodeGraph),
}

impl GraphSource {
    /// Adds it to what the session has.
    ///
    /// Errors: `InvalidArgument` for a malformed graph, or one that the session's graph is not the beginning of.
    pub(crate) fn add_to(self, graph: &mut NodeGraph, registry: &OpRegistry) -> Result<()> {
        match self {
            GraphSource::Def(def) => extend(graph, &def, registry, FromGraphDefOptions::CLIENT),
            GraphSource::Graph(whole) => {
                let grown = graph.nodes().iter().zip(whole.nodes()).all(|(a, b)| a.info.name == b.info.name);
                if whole.len() < graph.len() || !grown {
                    return Err(invalid_argument("the graph is not the one that the session was made with"));
                }
                *graph = whole;
                Ok(())
            }
        }
    }
}

/// Opens a session.
pub struct CreateSessionRequest {
    /// The client's graph; may be empty.
    pub graph: GraphSource,
    /// The client's options.
    pub config: pb::ConfigProto,
    /// The address that the client dialled, `grpc://host:port`; tells the master which task it is in a cluster that the client brings.
    pub target: String,
}

/// The tasks other than `own` that some filter admits; no filters admit all.
pub(super) fn peers(env: &WorkerEnv, cache: &Arc<dyn WorkerCache>, own: &TaskId, filters: &[DeviceSpec]) -> Vec<Peer> {
    let mut peers = Vec::new();
    for (task, address) in cache.cluster().tasks() {
        let admitted = filters.is_empty() || filters.iter().any(|f| task.spec().intersects(f));
        if task == *own || !admitted {
            continue;
        }
        match cache.worker(&task) {
            Some(worker) => peers.push(Peer { address: address.to_owned(), worker, is_renamed: env.task != *own, task }),
            None => tracing::error!(task = task.name(), own = env.task.name(), "there is no way to a task of the cluster"),
        }
    }
    peers
}

pub(super) async fn create(env: &Arc<MasterEnv>, request: CreateSessionRequest) -> Result<Arc<MasterSession>> {
    let config = SessionConfig::new(&request.config, &env.default_session_config)?;
    let worker_env = env.worker_env();
    let mut graph = NodeGraph::new();
    request.graph.add_to(&mut graph, &worker_env.registry)?;
    let (own, cache) = view_of_cluster(worker_env, &config, &request.target)?;
    let peers = peers(worker_env, &cache, &own, &config.device_filters);
    let limits = WaitLimits { give_up: config.operation_timeout.map(shortly_before).or(env.wait_limits.give_up), ..env.wait_limits };
    let found = find_devices(worker_env, &peers, limits).await?;

    let mut devices = Vec::new();
    for device in env.worker.device_attributes() {
        devices.push(SessionDevice::new(&own, device, true)?);
    }
    for (task, attributes) in found {
        for device in attributes {
            let device = SessionDevice::new(&task, device, false)?;
            if config.device_filters.is_empty() || config.device_filters.iter().any(|f| device.spec.intersects(f)) {
                devices.push(device);
            }
        }
    }
    let peers: Vec<TaskId> = peers.into_iter().map(|p| p.task).collect();
    let seed = SessionSeed { env: env.clone(), config, cache, own, peers, devices };
    let session = MasterSession::new(seed, graph)?;
    if let Err(e) = open_worker_sessions(&session).await {
        session.close().await;
        return Err(e);
    }
    Ok(session)
}

/// The cluster of a session and this task's place in it: its own, or the one that the client brings.
///
/// Errors: `InvalidArgument` for a cluster without this task, or one that calls it what it is called anyway: as in TensorFlow, a
/// cluster that a client brings gives its tasks names that say they are of that cluster.
fn view_of_cluster(env: &WorkerEnv, config: &SessionConfig, target: &str) -> Result<(TaskId, Arc<dyn WorkerCache>)> {
    let Some(cluster) = &config.cluster else {
        return Ok((env.task.clone(), env.worker_cache.clone()));
    };
    let address = target.strip_prefix("grpc://").unwrap_or(target);
    let own = cluster.task_at(address).ok_or_else(|| {
        invalid_argument(format!(
            "The master (current machine) is not included in the provided cluster_def: no task has the address {address}"
        ))
    })?;
    if own == env.task {
        return Err(invalid_argument(format!(
            "The ClusterSpec names the job and task index to be the same names that were provided when the server booted. This is \
             currently not allowed. Job: {}, task index: {}. Leave cluster_def out of the session's options, or give this task \
             another name there.",
            own.job, own.index
        )));
    }
    Ok((own, env.cache_factory.worker_cache(cluster)?))
}

async fn open_worker_sessions(session: &Arc<MasterSession>) -> Result<()> {
    let seed = session.seed();
    let env = seed.env.worker_env();
    let request = |task: &TaskId| CreateWorkerSessionRequest {
        session_handle: session.handle().clone(),
        cluster: seed.config.cluster.clone().map(|c| (c, task.clone())),
        isolate_session_state: seed.config.isolate_session_state,
        master_task: seed.own.name(),
        // The same 64 bits, signed.
        master_incarnation: env.devices.first().map_or(0, |d| d.info.incarnation as i64),
    };
    session.open_local(env, &request(&seed.own))?;
    let calls = seed.peers.iter().map(|task| {
        let worker = seed.cache.worker(task);
        let request = request(task);
        async move {
            match worker {
                Some(worker) => pending(|done| worker.create_worker_session(CallOptions::default(), request, done))
                    .await
                    .map_err(|e| e.at_task(&task.name())),
                None => Err(invalid_argument(format!("there is no way to {}", task.name()))),
            }
        }
    });
    join_all(calls).await.into_iter().collect()
}
