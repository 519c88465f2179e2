//! Opening, extending, sharing and closing sessions.

use super::*;
use crate::*;
use ferroflow_proto as pb;
use ferroflow_tensor::{Code, Tensor};
use std::time::Duration;

fn filters(list: &[&str]) -> pb::ConfigProto {
    pb::ConfigProto { device_filters: names(list), ..Default::default() }
}

#[test]
fn a_graph_grows_by_extending_and_versions_are_checked() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let s = c.session(&g);
    s.run(&[], &[], &["init"]).unwrap();
    let x = g.output("x").unwrap();
    g.op("Add").name("twice").inputs([x.clone(), x]).build();
    let extend = |version| {
        let graph = GraphSource::Graph(g.snapshot().unwrap());
        s.master.extend_session(&s.handle, ExtendRequest { graph, current_version: version })
    };
    assert_eq!(extend(0).unwrap(), 1);
    let e = extend(0).unwrap_err();
    assert_eq!((e.code(), e.message()), (Code::Aborted, "Current version is 1 but caller expected 0.".into()));
    assert_eq!(s.run(&[("x", 2.0)], &["twice", "y"], &[]).unwrap(), [4.0, 6.0]);
}

#[test]
fn a_node_that_is_declared_again_is_refused() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let s = c.session(&g);
    let node = pb::NodeDef { name: "x".into(), op: "NoOp".into(), ..Default::default() };
    let def = pb::GraphDef { node: vec![node], ..Default::default() };
    let request = ExtendRequest { graph: GraphSource::Def(Box::new(def)), current_version: 0 };
    let e = s.master.extend_session(&s.handle, request).unwrap_err();
    assert!(e.message().contains("includes node 'x', which was created by a previous call"), "{e}");
}

#[test]
fn opening_and_closing_can_go_on_from_thread_to_thread() {
    fn sendable<T: Send>(future: T) -> T {
        future
    }
    let (c, g) = (Cluster::new(), graph());
    let request =
        CreateSessionRequest { graph: GraphSource::Graph(g.snapshot().unwrap()), config: Default::default(), target: String::new() };
    let master = c.master(&worker(0));
    let handle = block_on(sendable(master.create_session(request))).unwrap();
    block_on(sendable(master.list_devices(&handle))).unwrap();
    block_on(sendable(master.reset(vec![], &[]))).unwrap();
    assert!(block_on(sendable(master.close_session(&handle))).is_err(), "resetting has closed it");
}

#[test]
fn an_impossible_device_fails_the_session() {
    let (c, g) = (Cluster::new(), graph());
    g.op("NoOp").name("never_run").device(at(&TaskId::new("ps", 7))).build();
    let e = c.session_at(&worker(0), &g, Default::default()).err().unwrap();
    assert_eq!(e.code(), Code::InvalidArgument);
    assert!(e.message().contains("{{node never_run}} was explicitly assigned to /job:ps/replica:0/task:7"), "{e}");
}

#[test]
fn a_filtered_task_is_never_called() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    c.stop(&worker(1));
    let (before, g2) = (c.calls(&worker(1)), graph());
    variable(&g2);
    let s = c.session_at(&worker(0), &g2, filters(&["/job:ps", "/job:worker/task:0"])).unwrap();
    s.run(&[], &[], &["init"]).unwrap();
    block_on(s.master.close_session(&s.handle)).unwrap();
    assert_eq!(c.calls(&worker(1)), before);
}

#[test]
fn a_silent_task_is_waited_for_and_named_when_the_limit_is_over() {
    let limits = WaitLimits { give_up: Some(Duration::from_millis(100)), log_every: Duration::from_millis(30) };
    for frozen in [false, true] {
        let (c, g) = (Cluster::with_limits(limits), graph());
        if frozen {
            c.freeze(&worker(1))
        } else {
            c.stop(&worker(1))
        }
        let e = c.session_at(&worker(0), &g, Default::default()).err().unwrap();
        assert_eq!(e.code(), Code::DeadlineExceeded);
        let text = e.message();
        assert!(text.contains("/job:worker/replica:0/task:1 at worker1:1 does not answer since"), "{text}");
        assert!(text.contains("device_filters"), "{text}");
        assert!(c.worker(&worker(0)).env().waits.list().is_empty());
    }
}

#[test]
fn a_task_that_comes_late_lets_the_session_start() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    c.stop(&ps());
    std::thread::scope(|scope| {
        let session = scope.spawn(|| c.session(&g));
        let waits = c.worker(&worker(0)).env().waits.clone();
        while waits.list().iter().all(|w| w.last_error.is_none()) {
            std::thread::yield_now();
        }
        assert_eq!(waits.list()[0].task, ps().name());
        c.thaw(&ps());
        session.join().unwrap().run(&[], &[], &["init"]).unwrap();
    });
}

#[test]
fn devices_are_listed_with_and_without_a_session() {
    let (c, g) = (Cluster::new(), graph());
    let s = c.session(&g);
    let (local, remote) = block_on(s.master.list_devices(&s.handle)).unwrap();
    assert_eq!((local.len(), remote.len()), (3, 0));
    let (local, remote) = block_on(s.master.list_devices("")).unwrap();
    assert_eq!((local[0].name.as_str(), remote.len()), ("/job:worker/replica:0/task:0/device:CPU:0", 2));
    let e = block_on(s.master.list_devices("nobody")).unwrap_err();
    assert_eq!(e.code(), Code::InvalidArgument);
}

#[test]
fn a_session_may_bring_its_own_cluster_and_still_share_variables() {
    let c = Cluster::new();
    let job = |name: &str, address: &str| pb::JobDef { name: name.into(), tasks: [(0, address.to_owned())].into() };
    let cluster_def = Some(pb::ClusterDef { job: vec![job("store", "ps0:1"), job("me", "worker0:1")] });
    let build = |task: TaskId| {
        let g = graph();
        let v = g.op("VariableV2").name("v").attr("dtype", DType::Float).attr("container", "c").device(at(&task)).build();
        let one = g.op("Const").attr("dtype", DType::Float).attr("value", Tensor::scalar(1f32)).output();
        g.op("Assign").name("init").inputs([v.output(0), one]).build();
        g.op("Identity").name("read").input(v.output(0)).build();
        g
    };
    let config = pb::ConfigProto { cluster_def, ..Default::default() };
    let s = c.session_at(&worker(0), &build(TaskId::new("store", 0)), config.clone()).unwrap();
    s.run(&[], &[], &["init"]).unwrap();
    assert_eq!(s.run(&[], &["read"], &[]).unwrap(), [1.0]);
    let (local, remote) = block_on(s.master.list_devices(&s.handle)).unwrap();
    assert_eq!(
        (local[0].name.as_str(), remote[0].name.as_str()),
        ("/job:me/replica:0/task:0/device:CPU:0", "/job:store/replica:0/task:0/device:CPU:0")
    );
    let plain = c.session_at(&worker(1), &build(ps()), Default::default()).unwrap();
    assert_eq!(plain.run(&[], &["read"], &[]).unwrap(), [1.0], "isolation is off");
    let isolated = pb::ConfigProto { isolate_session_state: true, ..config };
    let s = c.session_at(&worker(0), &build(TaskId::new("store", 0)), isolated).unwrap();
    assert!(s.run(&[], &["read"], &[]).unwrap_err().message().contains("uninitialized"));
}

#[test]
fn closing_ends_running_steps_and_forgets_the_session_everywhere() {
    let (c, g) = (Cluster::new(), graph());
    g.op("Hang").name("hang").device(at(&ps())).build();
    let s = c.session(&g);
    let running = s.start(request(&[], &["hang"], &[]));
    assert_eq!(c.worker(&ps()).sessions().len(), 1);
    block_on(s.master.close_session(&s.handle)).unwrap();
    let e = running.recv().unwrap().err().unwrap();
    assert_eq!(e.code(), Code::Cancelled);
    assert!(e.message().contains("Step was cancelled by an explicit call to `Session::Close()`."), "{e}");
    assert!([ps(), worker(0), worker(1)].iter().all(|t| c.worker(t).sessions().is_empty()));
    let e = block_on(s.master.close_session(&s.handle)).unwrap_err();
    assert_eq!(e.message(), format!("Session {} is not found. Possibly, this master has restarted.", s.handle));
}

#[test]
fn only_sessions_that_nobody_uses_are_collected() {
    let (c, g) = (Cluster::new(), graph());
    let s = c.session(&g);
    block_on(s.master.close_idle_sessions(Duration::from_secs(3600)));
    assert_eq!(s.master.sessions().len(), 1);
    block_on(s.master.close_idle_sessions(Duration::ZERO));
    assert!(s.master.sessions().is_empty());
}
