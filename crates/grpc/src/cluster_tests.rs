//! Tests of whole servers in one process, with a client that reaches them over the network.

// The few ops with which `distributed` tests the same cluster without a transport.
#[path = "../../distributed/src/tests/ops.rs"]
mod ops;

use crate::{IoThread, Listen, RemoteMaster, Server, ServerConfig};
use ferroflow_distributed::{
    CallOptions, CallableOptions, ClusterSpec, CreateSessionRequest, Done, ExtendRequest, GraphSource, RunOptions, RunRequest, RunResponse,
    Signature, TaskId,
};
use ferroflow_graph::Graph;
use ferroflow_graph::kernel::CancellationManager;
use ferroflow_tensor::error::cancelled;
use ferroflow_tensor::{Code, DType, PartialShape, Result, Shape, Tensor};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Only a failure waits so long.
const SOON: Duration = Duration::from_secs(60);

fn ps() -> TaskId {
    TaskId::new("ps", 0)
}

fn worker(i: u32) -> TaskId {
    TaskId::new("worker", i)
}

/// One ps and two workers, and a client of worker 0.
struct Cluster {
    spec: ClusterSpec,
    servers: Vec<Option<Server>>,
    client: RemoteMaster,
}

impl Cluster {
    fn new() -> Cluster {
        let tasks = [ps(), worker(0), worker(1)];
        let listeners = tasks.each_ref().map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        let mut spec = ClusterSpec::default();
        for (task, listener) in tasks.iter().zip(&listeners) {
            let address = listener.local_addr().unwrap().to_string();
            spec.jobs.entry(task.job.clone()).or_default().insert(task.index, address);
        }
        let start = |(task, listener)| Some(server(&task, &spec, Listen::On(listener)));
        let servers: Vec<_> = tasks.into_iter().zip(listeners).map(start).collect();
        let target = servers[1].as_ref().unwrap().target();
        let client = RemoteMaster::new(target, IoThread::start().unwrap()).unwrap();
        Cluster { spec, servers, client }
    }

    fn restart_ps(&mut self) {
        drop(self.servers[0].take());
        let address: SocketAddr = self.spec.address(&ps()).unwrap().parse().unwrap();
        self.servers[0] = Some(server(&ps(), &self.spec, Listen::At(address)));
    }

    fn session(&self, graph: &Graph) -> String {
        let request = CreateSessionRequest {
            graph: GraphSource::Graph(graph.snapshot().unwrap()),
            config: Default::default(),
            target: self.servers[1].as_ref().unwrap().target().to_owned(),
        };
        wait(|done| self.client.create_session(request, CallOptions::default(), done)).unwrap()
    }

    fn run(&self, session: &str, feeds: &[(&str, f32)], fetches: &[&str], targets: &[&str]) -> Result<Vec<f32>> {
        let request = request(feeds, fetches, targets);
        wait(|done| self.client.run_step(session, request, CallOptions::default(), done)).map(floats)
    }
}

fn server(task: &TaskId, spec: &ClusterSpec, listen: Listen) -> Server {
    let config = ServerConfig { listen, threads: 1, ..ServerConfig::new(task.clone(), spec.clone(), ops::registry()) };
    Server::start(config).unwrap()
}

fn start<T: Send + 'static>(call: impl FnOnce(Done<T>)) -> mpsc::Receiver<Result<T>> {
    let (sender, receiver) = mpsc::channel();
    call(Box::new(move |r| drop(sender.send(r))));
    receiver
}

fn wait<T: Send + 'static>(call: impl FnOnce(Done<T>)) -> Result<T> {
    start(call).recv_timeout(SOON).expect("the call ends")
}

fn request(feeds: &[(&str, f32)], fetches: &[&str], targets: &[&str]) -> RunRequest {
    let names = |list: &[&str]| list.iter().map(|s| s.to_string()).collect();
    RunRequest {
        feeds: feeds.iter().map(|(n, v)| (n.to_string(), Tensor::scalar(*v))).collect(),
        fetches: names(fetches),
        targets: names(targets),
        ..Default::default()
    }
}

fn floats(response: RunResponse) -> Vec<f32> {
    response.fetches.iter().map(|t| t.to_scalar::<f32>().unwrap()).collect()
}

/// `v` on the ps with `init` that sets it to 3, `y = x * v` on worker 0, `z = y + y` on worker 1.
fn model() -> Graph {
    let g = Graph::with_registry(ops::registry());
    let v = g.op("VariableV2").name("v").attr("dtype", DType::Float).device(ps().spec()).output();
    let three = g.op("Const").name("three").attr("dtype", DType::Float).attr("value", Tensor::scalar(3f32)).output();
    g.op("Assign").name("init").inputs([v.clone(), three]).build();
    let read = g.op("Identity").name("v/read").input(v).device(ps().spec()).output();
    let x = g.op("Placeholder").name("x").attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).output();
    let y = g.op("Mul").name("y").inputs([x, read]).device(worker(0).spec()).output();
    g.op("Add").name("z").inputs([y.clone(), y]).device(worker(1).spec()).build();
    g
}

#[test]
fn a_step_runs_over_three_servers() {
    let (c, g) = (Cluster::new(), model());
    let s = c.session(&g);
    c.run(&s, &[], &[], &["init"]).unwrap();
    for i in 0..20 {
        let x = i as f32;
        assert_eq!(c.run(&s, &[("x:0", x)], &["z:0", "y"], &[]).unwrap(), [6.0 * x, 3.0 * x]);
    }
    let w = g.op("Identity").name("w").input(g.output("z").unwrap()).device(ps().spec()).output();
    let graph = GraphSource::Graph(w.graph().snapshot().unwrap());
    let version = wait(|done| c.client.extend_session(&s, ExtendRequest { graph, current_version: 0 }, CallOptions::default(), done));
    assert_eq!(version.unwrap(), 1);
    assert_eq!(c.run(&s, &[("x:0", 2.0)], &["w"], &[]).unwrap(), [12.0]);
    let (local, remote) = wait(|done| c.client.list_devices(&s, CallOptions::default(), done)).unwrap();
    assert_eq!((local.len(), remote.len()), (3, 0));
    assert!(local.iter().any(|d| d.name == "/job:ps/replica:0/task:0/device:CPU:0" && d.incarnation != 0));
    wait(|done| c.client.close_session(&s, CallOptions::default(), done)).unwrap();
    let e = c.run(&s, &[], &["v/read"], &[]).unwrap_err();
    assert_eq!((e.code(), e.message()), (Code::Aborted, format!("Session {s} is not found.")));
}

#[test]
fn large_tensors_cross_tasks_whole() {
    let c = Cluster::new();
    let g = Graph::with_registry(ops::registry());
    let values: Vec<f32> = (0..(4 << 20)).map(|i| i as f32).collect();
    let shape = Shape::new(&[4, 1 << 20]).unwrap();
    let x = g.op("Placeholder").name("x").attr("dtype", DType::Float).output();
    let y = g.op("Identity").name("y").input(x).device(ps().spec()).output();
    g.op("Identity").name("z").input(y).device(worker(1).spec()).build();
    let s = c.session(&g);
    let mut request = request(&[], &["z"], &[]);
    request.feeds = vec![("x".into(), Tensor::from_slice(shape, &values).unwrap())];
    let response = wait(|done| c.client.run_step(&s, request, CallOptions::default(), done)).unwrap();
    assert_eq!(response.fetches[0].dims(), [4, 1 << 20]);
    assert!(response.fetches[0].as_slice::<f32>().unwrap() == values);
}

#[test]
fn callables_and_partial_runs_work_over_the_network() {
    let (c, g) = (Cluster::new(), model());
    let s = c.session(&g);
    c.run(&s, &[], &[], &["init"]).unwrap();
    let signature =
        Signature { feeds: vec!["x:0".into()], fetches: vec!["z:0".into(), "y:0".into()], targets: vec![], ..Default::default() };
    let options = CallableOptions { signature: signature.clone(), ..Default::default() };
    let callable = wait(|done| c.client.make_callable(&s, options, 1, CallOptions::default(), done)).unwrap();
    let run = || wait(|done| c.client.run_callable(&s, callable, vec![2f32.into()], 0, CallOptions::default(), done)).map(floats);
    assert_eq!(run().unwrap(), [12.0, 6.0]);
    wait(|done| c.client.release_callable(&s, callable, CallOptions::default(), done)).unwrap();
    assert_eq!(run().unwrap_err().code(), Code::InvalidArgument);
    let partial = wait(|done| c.client.partial_run_setup(&s, signature, 2, CallOptions::default(), done)).unwrap();
    let part = |feeds: &[(&str, f32)], fetches: &[&str]| {
        let request = RunRequest { partial_run_handle: partial.clone(), ..request(feeds, fetches, &[]) };
        wait(|done| c.client.run_step(&s, request, CallOptions::default(), done)).map(floats)
    };
    assert_eq!(part(&[("x:0", 5.0)], &["y:0"]).unwrap(), [15.0]);
    assert_eq!(part(&[], &["z:0"]).unwrap(), [30.0]);
}

#[test]
fn a_call_that_may_not_come_twice_is_aborted_by_a_lost_task() {
    let (mut c, g) = (Cluster::new(), model());
    let s = c.session(&g);
    c.run(&s, &[], &[], &["init"]).unwrap();
    let signature =
        |fetch: &str| Signature { feeds: vec!["x:0".into()], fetches: vec![fetch.into()], targets: vec![], ..Default::default() };
    let make = |c: &Cluster, signature, id| {
        wait(|done| c.client.make_callable(&s, CallableOptions { signature, ..Default::default() }, id, CallOptions::default(), done))
    };
    let callable = make(&c, signature("z:0"), 1).unwrap();
    drop(c.servers[0].take());
    let ran = wait(|done| c.client.run_callable(&s, callable, vec![2f32.into()], 2, CallOptions::default(), done)).map(floats);
    let set_up = wait(|done| c.client.partial_run_setup(&s, signature("z:0"), 3, CallOptions::default(), done)).map(drop);
    for e in [ran.unwrap_err(), make(&c, signature("y:0"), 4).unwrap_err(), set_up.unwrap_err()] {
        assert_eq!(e.code(), Code::Aborted, "{e}");
        assert!(e.message().contains("/job:ps/replica:0/task:0"), "{e}");
    }
}

#[test]
fn a_failure_is_reported_with_its_code_its_node_and_its_task() {
    let (c, g) = (Cluster::new(), model());
    let fails = g.op("Fail").name("fails").device(worker(1).spec()).output();
    let hangs = g.op("Hang").name("hangs").device(ps().spec()).output();
    g.op("Add").name("both").inputs([fails, hangs]).device(worker(0).spec()).build();
    let s = c.session(&g);
    let e = c.run(&s, &[], &["both"], &[]).unwrap_err();
    assert_eq!(e.code(), Code::InvalidArgument);
    assert!(
        e.message().contains("boom") && e.message().contains("{{node fails}}") && e.message().contains("/job:worker/replica:0/task:1"),
        "{e}"
    );
    c.run(&s, &[], &[], &["init"]).unwrap();
}

#[test]
fn a_traced_step_tells_what_ran_on_every_task() {
    let (c, g) = (Cluster::new(), model());
    let s = c.session(&g);
    c.run(&s, &[], &[], &["init"]).unwrap();
    let options = RunOptions { trace: true, output_partition_graphs: true, ..Default::default() };
    let request = RunRequest { options, ..request(&[("x", 1.0)], &["z"], &[]) };
    let metadata = wait(|done| c.client.run_step(&s, request, CallOptions::default(), done)).unwrap().metadata;
    for (task, node) in [(ps(), "v/read"), (worker(0), "y"), (worker(1), "z")] {
        assert!(metadata.stats.iter().any(|n| n.device.starts_with(&task.name()) && &*n.node == node), "{node}");
    }
    assert_eq!(metadata.partition_graphs.len(), 3);
}

#[test]
fn a_step_that_is_given_up_is_cancelled_on_all_tasks_and_the_session_stays() {
    let (c, g) = (Cluster::new(), model());
    let hangs = g.op("Hang").name("hangs").device(ps().spec()).output();
    g.op("Identity").name("waits").input(hangs).device(worker(1).spec()).build();
    let s = c.session(&g);
    c.run(&s, &[], &[], &["init"]).unwrap();
    let manager = Arc::new(CancellationManager::new());
    let hanging = start(|done| c.client.run_step(&s, request(&[], &["waits"], &[]), CallOptions::cancelled_by(&manager), done));
    assert_eq!(c.run(&s, &[("x", 1.0)], &["y"], &[]).unwrap(), [3.0]);
    manager.cancel(cancelled("enough"));
    assert_eq!(hanging.recv_timeout(SOON).unwrap().map(drop).unwrap_err().message(), "enough");
    let limited = RunRequest {
        options: RunOptions { timeout: Some(Duration::from_millis(200)), ..Default::default() },
        ..request(&[], &["waits"], &[])
    };
    let e = wait(|done| c.client.run_step(&s, limited, CallOptions::default(), done)).map(drop).unwrap_err();
    assert_eq!(e.code(), Code::DeadlineExceeded);
    assert_eq!(c.run(&s, &[("x", 1.0)], &["z"], &[]).unwrap(), [6.0]);
    // Closing waits for the session's steps: it ends only because they were cancelled.
    wait(|done| c.client.close_session(&s, CallOptions::default(), done)).unwrap();
}

#[test]
fn a_task_that_dies_in_a_step_is_named_and_a_new_session_uses_its_successor() {
    let (mut c, g) = (Cluster::new(), model());
    let hangs = g.op("Hang").name("hangs").device(ps().spec()).output();
    g.op("Identity").name("waits").input(hangs).device(worker(1).spec()).build();
    let s = c.session(&g);
    c.run(&s, &[], &[], &["init"]).unwrap();
    assert_eq!(c.run(&s, &[("x", 1.0)], &["z"], &[]).unwrap(), [6.0]);
    let hanging = start(|done| c.client.run_step(&s, request(&[], &["waits"], &[]), CallOptions::default(), done));
    // Its step is at the ps once a later one of the same session has been there.
    assert_eq!(c.run(&s, &[("x", 1.0)], &["z"], &[]).unwrap(), [6.0]);
    c.restart_ps();
    let e = hanging.recv_timeout(SOON).unwrap().map(drop).unwrap_err();
    assert!(matches!(e.code(), Code::Unavailable | Code::Aborted), "{e}");
    assert!(e.message().contains("/job:ps/replica:0/task:0"), "{e}");
    let e = c.run(&s, &[("x", 1.0)], &["z"], &[]).unwrap_err();
    assert!(matches!(e.code(), Code::Unavailable | Code::Aborted), "{e}");
    let s = c.session(&g);
    c.run(&s, &[], &[], &["init"]).unwrap();
    assert_eq!(c.run(&s, &[("x", 1.0)], &["z"], &[]).unwrap(), [6.0]);
}

#[test]
fn a_server_ends_although_steps_hang() {
    let (mut c, g) = (Cluster::new(), model());
    g.op("Hang").name("hangs").device(worker(0).spec()).build();
    let s = c.session(&g);
    let hanging = start(|done| c.client.run_step(&s, request(&[], &["hangs"], &[]), CallOptions::default(), done));
    c.run(&s, &[], &[], &["init"]).unwrap();
    let server = Arc::new(c.servers[1].take().unwrap());
    let joined = server.clone();
    let joiner = std::thread::spawn(move || joined.join());
    server.shutdown(Duration::from_millis(10));
    joiner.join().unwrap();
    let e = hanging.recv_timeout(SOON).unwrap().map(drop).unwrap_err();
    assert_eq!(e.code(), Code::Unavailable, "{e}");
    TcpListener::bind(server.address()).expect("the port is free again");
}

#[test]
fn sessions_come_and_go() {
    let (c, g) = (Cluster::new(), model());
    for _ in 0..20 {
        let s = c.session(&g);
        c.run(&s, &[], &[], &["init"]).unwrap();
        wait(|done| c.client.close_session(&s, CallOptions::default(), done)).unwrap();
    }
    for server in c.servers.iter().flatten() {
        let worker = &server.master().env().worker;
        assert!(worker.sessions().is_empty() && server.master().sessions().is_empty());
    }
    let s = c.session(&g);
    assert_eq!(c.run(&s, &[], &["v/read"], &[]).unwrap(), [3.0], "variables stay");
    wait(|done| c.client.reset(vec![], vec![], CallOptions::default(), done)).unwrap();
    let s = c.session(&g);
    assert!(c.run(&s, &[], &["v/read"], &[]).unwrap_err().message().contains("uninitialized"));
}

#[test]
fn impossible_servers_do_not_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let mut spec = ClusterSpec::default();
    spec.jobs.entry("ps".into()).or_default().insert(0, address.to_string());
    let config = |task: TaskId, spec: &ClusterSpec| ServerConfig {
        listen: Listen::At(address),
        threads: 1,
        ..ServerConfig::new(task, spec.clone(), ops::registry())
    };
    let e = Server::start(config(ps(), &spec)).map(drop).unwrap_err();
    assert_eq!(e.code(), Code::AlreadyExists, "{e}");
    let e = Server::start(config(worker(0), &spec)).map(drop).unwrap_err();
    assert!(e.message().contains("no task /job:worker/replica:0/task:0"), "{e}");
    spec.jobs.entry("worker".into()).or_default().insert(0, "nonsense".into());
    drop(taken);
    let e = Server::start(config(ps(), &spec)).map(drop).unwrap_err();
    assert!(e.message().contains("'nonsense' is not host:port"), "{e}");
}
