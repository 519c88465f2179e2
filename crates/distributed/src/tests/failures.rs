//! Steps that fail, and tasks that are lost, silent or restarted.

use super::*;
use crate::*;
use ferroflow_graph::kernel::{CancellationManager, RendezvousKey};
use ferroflow_tensor::Code;
use ferroflow_tensor::error::cancelled;
use std::sync::Arc;
use std::time::Duration;

fn within(limit: u64, r: RunRequest) -> RunRequest {
    RunRequest { options: RunOptions { timeout: Some(Duration::from_millis(limit)), ..r.options }, ..r }
}

#[test]
fn the_root_cause_is_reported_and_ends_the_other_tasks() {
    let (c, g) = (Cluster::new(), graph());
    let fail = g.op("Fail").name("fail").device(at(&worker(1))).output();
    let read = g.op("Identity").name("consumer").input(fail).device(at(&ps())).output();
    g.op("Identity").name("end").input(read).device(at(&worker(0))).build();
    g.op("Hang").name("hang").device(at(&ps())).build();
    let s = c.session(&g);
    let e = s.run(&[], &["end"], &["hang"]).unwrap_err();
    assert_eq!(e.code(), Code::InvalidArgument);
    assert_eq!(e.message(), "From /job:worker/replica:0/task:1:\nboom\n\t [[{{node fail}}]]");
    assert!(!e.is_derived());
    c.wait_until_steps_are_forgotten();
}

#[test]
fn a_failure_of_this_task_ends_the_others_too() {
    let (c, g) = (Cluster::new(), graph());
    g.op("Fail").name("fail").device(at(&worker(0))).build();
    g.op("Hang").name("hang").device(at(&ps())).build();
    let e = c.session(&g).run(&[], &[], &["fail", "hang"]).unwrap_err();
    assert!(e.message().contains("boom"), "{e}");
}

#[test]
fn a_step_past_its_limit_names_the_task_that_still_ran_and_the_session_lives() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    g.op("Hang").name("hang").device(at(&ps())).build();
    let s = c.session(&g);
    let e = s.run_request(within(50, request(&[], &["hang"], &[]))).err().unwrap();
    assert_eq!(e.code(), Code::DeadlineExceeded);
    assert!(e.message().contains("/job:ps/replica:0/task:0 at ps0:1"), "{e}");
    s.run(&[], &[], &["init"]).unwrap();
    assert_eq!(s.run(&[("x", 1.0)], &["y"], &[]).unwrap(), [3.0]);
}

#[test]
fn a_frozen_task_does_not_keep_a_limited_step_from_ending() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let s = c.session(&g);
    s.run(&[], &[], &["init"]).unwrap();
    assert_eq!(s.run(&[("x", 1.0)], &["z"], &[]).unwrap(), [6.0]);
    c.freeze(&ps());
    let e = s.run_request(within(50, request(&[("x", 1.0)], &["z"], &[]))).err().unwrap();
    assert_eq!(e.code(), Code::DeadlineExceeded);
    assert!(e.message().contains("/job:ps/replica:0/task:0"), "{e}");
    c.thaw(&ps());
    assert_eq!(s.run(&[("x", 1.0)], &["z"], &[]).unwrap(), [6.0]);
}

#[test]
fn a_frozen_task_does_not_keep_a_reset_from_ending() {
    let c = Cluster::with_limits(WaitLimits { give_up: Some(Duration::from_millis(50)), ..WaitLimits::default() });
    c.freeze(&ps());
    let e = block_on(c.master(&worker(0)).reset(vec![], &[])).unwrap_err();
    assert_eq!(e.code(), Code::DeadlineExceeded);
    assert!(e.message().contains("/job:ps/replica:0/task:0 at ps0:1 does not answer"), "{e}");
    c.thaw(&ps());
    block_on(c.master(&worker(0)).reset(vec![], &[])).unwrap();
}

#[test]
fn a_caller_that_gives_up_ends_its_step() {
    let (c, g) = (Cluster::new(), graph());
    g.op("Hang").name("hang").device(at(&ps())).build();
    let s = c.session(&g);
    let cancellation = Arc::new(CancellationManager::new());
    let run = pending(|done| {
        s.master.run_step(&s.handle, request(&[], &["hang"], &[]), CallOptions::cancelled_by(&cancellation), done);
    });
    cancellation.cancel(cancelled("the client has gone"));
    assert_eq!(block_on(run).err().unwrap().code(), Code::Cancelled);
    assert_eq!(s.master.session(&s.handle).unwrap().load().0, 0);
    c.wait_until_steps_are_forgotten();
}

#[test]
fn a_lost_task_is_unavailable_and_a_restarted_one_aborts_until_a_new_session() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let s = c.session(&g);
    s.run(&[], &[], &["init"]).unwrap();
    assert_eq!(s.run(&[("x", 1.0)], &["y"], &[]).unwrap(), [3.0]);
    c.stop(&ps());
    let e = s.run(&[("x", 1.0)], &["y"], &[]).unwrap_err();
    assert_eq!(e.code(), Code::Unavailable);
    assert!(e.message().contains("/job:ps/replica:0/task:0"), "{e}");
    c.start(&ps());
    for fetch in ["y", "v/read"] {
        let e = s.run(&[("x", 1.0)], &[fetch], &[]).unwrap_err();
        assert_eq!(e.code(), Code::Aborted, "{e}");
        assert!(e.message().contains("restarted"), "{e}");
    }
    let fresh = c.session(&g);
    assert!(fresh.run(&[("x", 1.0)], &["y"], &[]).unwrap_err().message().contains("uninitialized"));
    fresh.run(&[], &[], &["init"]).unwrap();
    assert_eq!(fresh.run(&[("x", 1.0)], &["y"], &[]).unwrap(), [3.0]);
}

#[test]
fn a_session_that_has_lost_a_task_gives_its_queues_up_and_leaves_them_open() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let q = g.op("FIFOQueueV2").name("q").device(at(&worker(1))).output();
    let one = g.op("Const").attr("dtype", ferroflow_tensor::DType::Float).attr("value", ferroflow_tensor::Tensor::scalar(1f32)).output();
    g.op("QueueEnqueueV2").name("put").inputs([q.clone(), one]).device(at(&worker(1))).build();
    g.op("QueueCloseV2").name("end").input(q.clone()).build();
    g.op("QueueCloseV2").name("cancel").input(q).attr("cancel_pending_enqueues", true).build();
    let s = c.session(&g);
    assert!(s.run(&[], &[], &["cancel"]).unwrap_err().message().contains("it is closed"), "a healthy session closes");
    let put = s.start(request(&[], &[], &["put"]));
    c.stop(&ps());
    assert_eq!(s.run(&[("x", 1.0)], &["y"], &[]).unwrap_err().code(), Code::Unavailable);
    let e = s.run(&[], &[], &["cancel"]).unwrap_err();
    assert_eq!(e.code(), Code::Aborted);
    assert!(e.message().starts_with("q stays open") && e.message().contains("/job:ps/replica:0/task:0"), "{e}");
    let e = put.recv_timeout(Duration::from_secs(60)).unwrap().err().unwrap();
    assert_eq!(e.code(), Code::Aborted, "{e}");
    assert!(s.run(&[], &[], &["end"]).unwrap_err().message().contains("it is closed"), "data that ended");
}

#[test]
fn a_tensor_is_asked_of_the_wrong_start_of_a_task_in_vain() {
    let c = Cluster::new();
    let ask = |device: &str, incarnation: u64, request_id: i64| {
        let key = RendezvousKey::text(device, incarnation, "/job:worker/replica:0/task:0/device:CPU:0", "edge_1_v", 0, 0);
        let request = RecvTensorRequest { step_id: 1, key: key.into(), request_id };
        block_on(pending(|done| c.worker(&ps()).recv_tensor(CallOptions::default(), request, done))).unwrap_err()
    };
    let actual = c.worker(&ps()).device_attributes()[0].incarnation;
    let e = ask("/job:ps/replica:0/task:0/device:CPU:0", 7, 0);
    let want = format!(
        "RecvTensor expects a different device incarnation: 7 vs. {actual}. Your worker job (\"/job:ps/replica:0/task:0\") was probably \
         restarted. Check your worker job for the reason why it was restarted."
    );
    assert_eq!((e.code(), e.message()), (Code::Aborted, want));
    assert_eq!(ask("/job:ps/replica:0/task:0/device:GPU:3", actual, 5).message(), "/device:GPU:3 unknown device.");
    let twice = ask("/job:ps/replica:0/task:0/device:GPU:3", actual, 5);
    assert!(twice.message().starts_with("The same RecvTensor (GrpcWorker) request was received twice."), "{twice}");
}

#[test]
fn requests_to_a_worker_without_the_session_or_the_graph_are_aborted() {
    let (c, g) = (Cluster::new(), graph());
    let s = c.session(&g);
    let run = |session: &str, graph: &str, created| {
        let request = RunGraphRequest {
            session_handle: session.into(),
            graph_handle: graph.into(),
            create_worker_session_called: created,
            step_id: 9,
            ..Default::default()
        };
        block_on(pending(|done| c.worker(&ps()).run_graph(CallOptions::default(), request, done))).err().unwrap()
    };
    let e = run("nobody", "1", true);
    let want = "Session handle is not found: nobody. Possibly this worker (\"/job:ps/replica:0/task:0\") just restarted.";
    assert_eq!((e.code(), e.message()), (Code::Aborted, want.to_owned()));
    assert_eq!(run(&s.handle, "g", true).message(), "Graph handle is not found: g");
    assert_eq!(run("anything", "g", false).message(), "Graph handle is not found: g");
}

#[test]
fn those_who_wait_for_a_step_that_cannot_run_get_the_reason() {
    let c = Cluster::new();
    let incarnation = c.worker(&ps()).device_attributes()[0].incarnation;
    let ask = || {
        let (from, to) = ("/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0");
        let key = RendezvousKey::text(from, incarnation, to, "edge_1_v", 0, 0);
        let request = RecvTensorRequest { step_id: 9, key: key.into(), request_id: 0 };
        pending(|done| c.worker(&ps()).recv_tensor(CallOptions::default(), request, done))
    };
    let early = ask();
    let request = RunGraphRequest { session_handle: "lost".into(), create_worker_session_called: true, step_id: 9, ..Default::default() };
    block_on(pending(|done| c.worker(&ps()).run_graph(CallOptions::default(), request, done))).err().unwrap();
    for waiter in [early, ask()] {
        let e = block_on(waiter).unwrap_err();
        assert_eq!(e.code(), Code::Aborted);
        assert!(e.message().contains("Session handle is not found: lost"), "{e}");
    }
}
