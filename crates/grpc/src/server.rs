//! `Server`: one task of a cluster, serving until it is told to end (TF: `GrpcServer`, `tf.train.Server`).

use crate::connection::{Phase, accept};
use crate::inline::Inline;
use crate::io_thread::IoThread;
use crate::line::Door;
use crate::listener;
use crate::master_service::MasterService;
use crate::service::Services;
use crate::worker_cache::{GrpcWorkerCacheFactory, Peers};
use crate::worker_service::WorkerService;
use ferroflow_distributed::{ClusterSpec, Master, MasterEnv, TaskId, Timer, WaitLimits, Waits, Worker, WorkerCacheFactory, WorkerEnv};
use ferroflow_graph::OpRegistry;
use ferroflow_graph::kernel::ComputePool;
use ferroflow_proto as pb;
use ferroflow_runtime::{Device, Pool};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, trim_memory};
use parking_lot::{Condvar, Mutex};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Where a server listens.
#[derive(Debug, Default)]
pub enum Listen {
    /// At all addresses of the machine, on the port of the task's own entry in the cluster.
    #[default]
    OwnEntry,
    /// At this address only.
    At(SocketAddr),
    /// At a socket that is bound already, such as one on a port that the system chose.
    On(TcpListener),
}

/// What a server is to be.
pub struct ServerConfig {
    /// Which task of the cluster.
    pub task: TaskId,
    /// The cluster.
    pub cluster: ClusterSpec,
    /// Where it listens.
    pub listen: Listen,
    /// Compute threads; 0 means one per core.
    pub threads: usize,
    /// How many CPU devices it has, at least 1.
    pub cpu_devices: u32,
    /// The ops it knows.
    pub registry: Arc<OpRegistry>,
    /// Options that are merged over those of every session.
    pub default_session_config: pb::ConfigProto,
    /// How long new sessions wait for silent tasks.
    pub wait_limits: WaitLimits,
}

impl ServerConfig {
    /// A server of this task with one CPU device, as many threads as cores, and no other special wishes.
    pub fn new(task: TaskId, cluster: ClusterSpec, registry: Arc<OpRegistry>) -> ServerConfig {
        ServerConfig {
            task,
            cluster,
            listen: Listen::default(),
            threads: 0,
            cpu_devices: 1,
            registry,
            default_session_config: pb::ConfigProto::default(),
            wait_limits: WaitLimits::default(),
        }
    }
}

/// A task that serves. Several may live in one process; dropping one ends it.
pub struct Server {
    address: SocketAddr,
    target: String,
    master: Arc<Master>,
    phase: watch::Sender<Phase>,
    io: Arc<IoThread>,
    life: Mutex<Life>,
    ended: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Serving,
    Ending,
    Ended,
}

/// Beyond this the calls that are left are not waited for.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// How long tensor memory lies idle before the system gets it back, at least; at most twice as long.
const TRIM_EVERY: Duration = Duration::from_secs(10);

/// Gives idle tensor memory back, until the server has ended.
async fn trim_now_and_then(inline: Weak<Inline>) {
    loop {
        tokio::time::sleep(TRIM_EVERY).await;
        let Some(inline) = inline.upgrade() else { return };
        inline.spawn(|| {
            let bytes = trim_memory();
            tracing::debug!("{bytes} bytes of idle tensor memory given back");
        });
    }
}

impl Server {
    /// Starts serving.
    ///
    /// Errors: `InvalidArgument` for a task that is not in the cluster or addresses that are none; `AlreadyExists` if the port is taken.
    pub fn start(config: ServerConfig) -> Result<Server> {
        let ServerConfig { task, cluster, registry, .. } = config;
        let entry = cluster.address(&task).ok_or_else(|| no_such_task(&task, &cluster))?.to_owned();
        let listener = match config.listen {
            Listen::OwnEntry => listener::bind_own_entry(&entry)?,
            Listen::At(address) => listener::bind(address)?,
            Listen::On(listener) => listener,
        };
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let io = IoThread::start()?;
        let pool: Arc<dyn ComputePool> = match config.threads {
            0 => Arc::new(Pool::for_this_machine()),
            n => Arc::new(Pool::new(n)),
        };
        let inline = Inline::new(pool.clone());
        let peers = Peers::new(io.handle().clone(), inline.clone(), entry.clone());
        let factory = GrpcWorkerCacheFactory(peers.clone());
        let devices = (0..config.cpu_devices.max(1)).map(|i| Arc::new(Device::cpu(&task.job, task.index, i))).collect();
        let worker = Worker::new(Arc::new(WorkerEnv {
            devices,
            pool,
            registry,
            worker_cache: factory.worker_cache(&cluster)?,
            cache_factory: Arc::new(factory),
            timer: Arc::new(Timer::new()),
            waits: Waits::default(),
            task: task.clone(),
        }));
        peers.set_own_worker(&worker);
        let master = Master::new(MasterEnv {
            worker: worker.clone(),
            default_session_config: config.default_session_config,
            wait_limits: config.wait_limits,
        });
        // Sockets register with the event loop of the thread's context.
        let context = io.handle().enter();
        let door = match Door::new() {
            Ok(door) => Some(door),
            Err(e) => {
                tracing::debug!("no local socket for tasks of this machine: {e}");
                None
            }
        };
        let services = Arc::new(Services {
            door: door.as_ref().and_then(|d| http::HeaderValue::from_str(d.name()).ok()),
            name: format!("ferroflow task {} on port {}", task.name(), address.port()),
            services: vec![
                Arc::new(WorkerService { worker, inline: inline.clone() }),
                Arc::new(MasterService { master: master.clone(), inline: inline.clone() }),
            ],
        });
        let (phase, watched) = watch::channel(Phase::Serving);
        let accepting = tokio::net::TcpListener::from_std(listener)?;
        drop(context);
        if let Some(door) = door {
            io.handle().spawn(door.accept(services.clone(), watched.clone()));
        }
        io.handle().spawn(accept(accepting, services, watched));
        io.handle().spawn(trim_now_and_then(Arc::downgrade(&inline)));
        tracing::info!(task = task.name(), %address, "serving");
        // Clients dial what the cluster says; without a port there, where the server really is.
        let target = match listener::port_of(&entry) {
            Ok((0, _)) | Err(_) => format!("grpc://{address}"),
            Ok(_) => format!("grpc://{entry}"),
        };
        Ok(Server { address, target, master, phase, io, life: Mutex::new(Life::Serving), ended: Condvar::new() })
    }

    /// What clients dial, `grpc://host:port`.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its master, for clients in this process.
    pub fn master(&self) -> &Arc<Master> {
        &self.master
    }

    /// Waits until the server has ended.
    pub fn join(&self) {
        let mut life = self.life.lock();
        while *life != Life::Ended {
            self.ended.wait(&mut life);
        }
    }

    /// Ends the server: takes no more calls, gives those that are under way `grace` to end, and answers what is left with `Unavailable`,
    /// which cancels its steps. Returns when all is closed.
    pub fn shutdown(&self, grace: Duration) {
        {
            let mut life = self.life.lock();
            if *life != Life::Serving {
                drop(life);
                return self.join();
            }
            *life = Life::Ending;
        }
        let until = Instant::now() + grace;
        self.phase.send_replace(Phase::Draining);
        self.wait_for_calls(until);
        self.phase.send_replace(Phase::Closing);
        self.wait_for_calls(Instant::now() + LAST_ANSWERS);
        self.io.stop();
        *self.life.lock() = Life::Ended;
        self.ended.notify_all();
    }

    /// Every connection watches the phase; when nobody does, all of them are closed.
    fn wait_for_calls(&self, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        let (closed, is_closed) = std::sync::mpsc::channel();
        let phase = self.phase.clone();
        self.io.handle().spawn(async move {
            phase.closed().await;
            let _ = closed.send(());
        });
        let _ = is_closed.recv_timeout(left);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown(Duration::ZERO);
    }
}

fn no_such_task(task: &TaskId, cluster: &ClusterSpec) -> ferroflow_tensor::Error {
    let known: Vec<String> = cluster.tasks().map(|(t, _)| t.name()).collect();
    invalid_argument(format!("the cluster has no task {}; it has {}", task.name(), known.join(", ")))
}
