//! A cluster inside the test: tasks call each other directly, may be stopped, frozen and started again, and their calls are counted.

use super::ops;
use crate::*;
use ferroflow_graph::Graph;
use ferroflow_graph::kernel::Received;
use ferroflow_proto as pb;
use ferroflow_runtime::{Device, NodeStats, Pool};
use ferroflow_tensor::error::unavailable;
use ferroflow_tensor::{DeviceSpec, Result, Tensor};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// What stands at a task's address.
#[derive(Clone)]
enum Listener {
    Nobody,
    Worker(Arc<Worker>),
    /// Takes calls and never answers.
    Frozen,
}

#[derive(Default)]
struct Board {
    listeners: Mutex<BTreeMap<TaskId, Listener>>,
    calls: Mutex<BTreeMap<TaskId, usize>>,
}

/// The way to a task of the board.
struct Route {
    board: Arc<Board>,
    task: TaskId,
}

impl Route {
    fn call<T: Send + 'static>(&self, options: &CallOptions, done: Done<T>, forward: impl FnOnce(Arc<Worker>, Done<T>)) {
        *self.board.calls.lock().entry(self.task.clone()).or_default() += 1;
        let listener = self.board.listeners.lock().get(&self.task).cloned().unwrap_or(Listener::Nobody);
        match listener {
            Listener::Nobody => done(Err(unavailable("connection refused"))),
            Listener::Worker(worker) => forward(worker, done),
            Listener::Frozen => {
                let Some(cancellation) = &options.cancellation else { return std::mem::forget(done) };
                if let Err(e) = cancellation.register(|_| ()) {
                    return done(Err(e));
                }
                cancellation.register(move |reason| done(Err(reason.clone()))).map(drop).unwrap_or_default();
            }
        }
    }
}

impl WorkerInterface for Route {
    fn get_status(&self, options: CallOptions, done: Done<Vec<DeviceAttributes>>) {
        self.call(&options.clone(), done, |w, done| w.get_status(options, done));
    }
    fn create_worker_session(&self, options: CallOptions, request: CreateWorkerSessionRequest, done: Done<()>) {
        self.call(&options.clone(), done, |w, done| w.create_worker_session(options, request, done));
    }
    fn delete_worker_session(&self, options: CallOptions, handle: Arc<str>, done: Done<()>) {
        self.call(&options.clone(), done, |w, done| w.delete_worker_session(options, handle, done));
    }
    fn register_graph(&self, options: CallOptions, request: RegisterGraphRequest, done: Done<Arc<str>>) {
        self.call(&options.clone(), done, |w, done| w.register_graph(options, request, done));
    }
    fn deregister_graph(&self, options: CallOptions, session: Arc<str>, created: bool, graph: Arc<str>, done: Done<()>) {
        self.call(&options.clone(), done, |w, done| w.deregister_graph(options, session, created, graph, done));
    }
    fn run_graph(&self, options: CallOptions, request: RunGraphRequest, done: Done<RunGraphResponse>) {
        self.call(&options.clone(), done, |w, done| w.run_graph(options, request, done));
    }
    fn cleanup_graph(&self, options: CallOptions, step_id: i64, done: Done<()>) {
        self.call(&options.clone(), done, |w, done| w.cleanup_graph(options, step_id, done));
    }
    fn cleanup_all(&self, options: CallOptions, containers: Vec<String>, done: Done<()>) {
        self.call(&options.clone(), done, |w, done| w.cleanup_all(options, containers, done));
    }
    fn recv_tensor(&self, options: CallOptions, request: RecvTensorRequest, done: Done<Received>) {
        self.call(&options.clone(), done, |w, done| w.recv_tensor(options, request, done));
    }
    fn logging(&self, options: CallOptions, request: LoggingRequest, done: Done<Vec<(i64, Vec<NodeStats>)>>) {
        self.call(&options.clone(), done, |w, done| w.logging(options, request, done));
    }
}

/// Tasks by address: a session's own cluster may give them other names.
struct Cache {
    board: Arc<Board>,
    cluster: ClusterSpec,
    addresses: ClusterSpec,
}

impl WorkerCache for Cache {
    fn cluster(&self) -> &ClusterSpec {
        &self.cluster
    }
    fn worker(&self, task: &TaskId) -> Option<Arc<dyn WorkerInterface>> {
        let real = self.addresses.task_at(self.cluster.address(task)?)?;
        Some(Arc::new(Route { board: self.board.clone(), task: real }))
    }
}

struct Factory {
    board: Arc<Board>,
    addresses: ClusterSpec,
}

impl WorkerCacheFactory for Factory {
    fn worker_cache(&self, cluster: &ClusterSpec) -> Result<Arc<dyn WorkerCache>> {
        Ok(Arc::new(Cache { board: self.board.clone(), cluster: cluster.clone(), addresses: self.addresses.clone() }))
    }
}

/// One ps and two workers.
pub(super) struct Cluster {
    board: Arc<Board>,
    pub spec: ClusterSpec,
    masters: Mutex<BTreeMap<TaskId, Arc<Master>>>,
    wait_limits: WaitLimits,
}

pub(super) fn ps() -> TaskId {
    TaskId::new("ps", 0)
}

pub(super) fn worker(i: u32) -> TaskId {
    TaskId::new("worker", i)
}

impl Cluster {
    pub fn new() -> Cluster {
        Cluster::with_limits(WaitLimits::default())
    }

    pub fn with_limits(wait_limits: WaitLimits) -> Cluster {
        let mut spec = ClusterSpec::default();
        for task in [ps(), worker(0), worker(1)] {
            spec.jobs.entry(task.job.clone()).or_default().insert(task.index, format!("{}{}:1", task.job, task.index));
        }
        let cluster = Cluster { board: Arc::default(), spec, masters: Mutex::default(), wait_limits };
        [ps(), worker(0), worker(1)].iter().for_each(|t| cluster.start(t));
        cluster
    }

    /// Starts a task, or starts it again.
    pub fn start(&self, task: &TaskId) {
        let factory = Factory { board: self.board.clone(), addresses: self.spec.clone() };
        let env = WorkerEnv {
            task: task.clone(),
            devices: vec![Arc::new(Device::cpu(&task.job, task.index, 0))],
            pool: Arc::new(Pool::new(1)),
            registry: ops::registry(),
            worker_cache: factory.worker_cache(&self.spec).unwrap(),
            cache_factory: Arc::new(factory),
            timer: Arc::new(Timer::new()),
            waits: Waits::default(),
        };
        let worker = Worker::new(Arc::new(env));
        self.board.listeners.lock().insert(task.clone(), Listener::Worker(worker.clone()));
        let master = Master::new(MasterEnv { worker, default_session_config: Default::default(), wait_limits: self.wait_limits });
        self.masters.lock().insert(task.clone(), master);
    }

    pub fn stop(&self, task: &TaskId) {
        self.board.listeners.lock().insert(task.clone(), Listener::Nobody);
    }

    pub fn freeze(&self, task: &TaskId) {
        self.board.listeners.lock().insert(task.clone(), Listener::Frozen);
    }

    /// Lets a frozen or stopped task answer again.
    pub fn thaw(&self, task: &TaskId) {
        let worker = self.master(task).env().worker.clone();
        self.board.listeners.lock().insert(task.clone(), Listener::Worker(worker));
    }

    pub fn calls(&self, task: &TaskId) -> usize {
        self.board.calls.lock().get(task).copied().unwrap_or(0)
    }

    pub fn master(&self, task: &TaskId) -> Arc<Master> {
        self.masters.lock()[task].clone()
    }

    pub fn worker(&self, task: &TaskId) -> Arc<Worker> {
        self.master(task).env().worker.clone()
    }

    /// Waits until no task knows a step any more: a caller has its answer before the tasks are told to forget the step.
    pub fn wait_until_steps_are_forgotten(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        for task in [ps(), worker(0), worker(1)] {
            let worker = self.worker(&task);
            while !worker.rendezvous_mgr().is_empty() {
                assert!(Instant::now() < end, "{} still knows {} steps", task.name(), worker.rendezvous_mgr().len());
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// A session with this graph at the master of worker 0.
    pub fn session(&self, graph: &Graph) -> Session {
        self.session_at(&worker(0), graph, Default::default()).unwrap()
    }

    pub fn session_at(&self, task: &TaskId, graph: &Graph, config: pb::ConfigProto) -> Result<Session> {
        let master = self.master(task);
        let target = format!("grpc://{}", self.spec.address(task).unwrap());
        let request = CreateSessionRequest { graph: GraphSource::Graph(graph.snapshot()?), config, target };
        let handle = block_on(master.create_session(request))?;
        Ok(Session { master, handle })
    }
}

/// A session as a client has it.
pub(super) struct Session {
    pub master: Arc<Master>,
    pub handle: String,
}

pub(super) fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| s.to_string()).collect()
}

pub(super) fn request(feeds: &[(&str, f32)], fetches: &[&str], targets: &[&str]) -> RunRequest {
    RunRequest {
        feeds: feeds.iter().map(|(n, v)| (n.to_string(), Tensor::scalar(*v))).collect(),
        fetches: names(fetches),
        targets: names(targets),
        ..Default::default()
    }
}

pub(super) fn floats(response: RunResponse) -> Vec<f32> {
    response.fetches.iter().map(|t| t.to_scalar::<f32>().unwrap()).collect()
}

impl Session {
    pub fn start(&self, request: RunRequest) -> mpsc::Receiver<Result<RunResponse>> {
        let (sender, receiver) = mpsc::channel();
        self.master.run_step(&self.handle, request, CallOptions::default(), Box::new(move |r| drop(sender.send(r))));
        receiver
    }

    pub fn run_request(&self, request: RunRequest) -> Result<RunResponse> {
        self.start(request)
            .recv_timeout(Duration::from_secs(60))
            .unwrap_or_else(|e| panic!("{e}: worker 0 waits for {:?}", self.master.env().worker.rendezvous_mgr().awaited()))
    }

    pub fn run(&self, feeds: &[(&str, f32)], fetches: &[&str], targets: &[&str]) -> Result<Vec<f32>> {
        self.run_request(request(feeds, fetches, targets)).map(floats)
    }
}

/// A graph over the test's ops.
pub(crate) fn graph() -> Graph {
    Graph::with_registry(ops::registry())
}

pub(super) fn at(task: &TaskId) -> DeviceSpec {
    task.spec()
}
