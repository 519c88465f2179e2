//! Steps over one and several tasks: runs, partial runs, callables, traces.

use super::*;
use crate::*;
use ferroflow_tensor::{Code, Tensor};
use std::sync::mpsc;

#[test]
fn a_chain_over_three_tasks_gives_the_product() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let s = c.session(&g);
    s.run(&[], &[], &["init"]).unwrap();
    assert_eq!(s.run(&[("x:0", 2.0)], &["z:0", "y"], &[]).unwrap(), [12.0, 6.0]);
    assert_eq!(s.run(&[("x", 1.0)], &["y:0", "z:0"], &[]).unwrap(), [3.0, 6.0]);
    let session = s.master.session(&s.handle).unwrap();
    assert_eq!(session.load(), (0, 2), "both spellings share a step");
    c.wait_until_steps_are_forgotten();
}

#[test]
fn variables_on_the_ps_are_shared_by_the_sessions_of_all_masters() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    c.session(&g).run(&[], &[], &["init"]).unwrap();
    let other = c.session_at(&worker(1), &g, Default::default()).unwrap();
    assert_eq!(other.run(&[], &["v/read"], &[]).unwrap(), [3.0]);
    block_on(other.master.close_session(&other.handle)).unwrap();
    let third = c.session_at(&ps(), &g, Default::default()).unwrap();
    assert_eq!(third.run(&[], &["v/read"], &[]).unwrap(), [3.0], "closing a session deletes no variable");
    block_on(third.master.reset(vec![], &[])).unwrap();
    let e = third.run(&[], &["v/read"], &[]).unwrap_err();
    assert_eq!((e.code(), e.message()), (Code::Aborted, format!("Session {} is not found.", third.handle)));
    let fresh = c.session(&g);
    let e = fresh.run(&[], &["v/read"], &[]).unwrap_err();
    assert!(e.message().contains("Attempting to use uninitialized value v"), "{e}");
}

#[test]
fn an_isolated_session_has_variables_of_its_own() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let isolated = ferroflow_proto::ConfigProto { isolate_session_state: true, ..Default::default() };
    c.session(&g).run(&[], &[], &["init"]).unwrap();
    let s = c.session_at(&worker(0), &g, isolated).unwrap();
    assert!(s.run(&[], &["v/read"], &[]).unwrap_err().message().contains("uninitialized"));
}

#[test]
fn a_loop_runs_over_two_tasks() {
    let (c, g) = (Cluster::new(), graph());
    let float = |v: f32| g.op("Const").attr("dtype", DType::Float).attr("value", Tensor::scalar(v)).output();
    let enter = |x: Output, is_constant: bool| g.op("Enter").input(x).attr("frame_name", "loop").attr("is_constant", is_constant).output();
    let (start, limit, one) = (enter(float(0.0), false), enter(float(5.0), true), enter(float(1.0), true));
    let merge = g.op("Merge").input_list([start.clone(), start]).device(at(&worker(0))).build();
    let less = g.op("Less").inputs([merge.output(0), limit]).device(at(&worker(0))).output();
    let cond = g.op("LoopCond").input(less).device(at(&worker(0))).output();
    let switch = g.op("Switch").inputs([merge.output(0), cond]).device(at(&worker(0))).build();
    let add = g.op("Add").inputs([switch.output(1), one]).device(at(&worker(1))).output();
    let next = g.op("NextIteration").input(add).output();
    merge.update_input(1, &next).unwrap();
    g.op("Exit").name("exit").input(switch.output(0)).build();
    let s = c.session(&g);
    assert_eq!(s.run(&[], &["exit"], &[]).unwrap(), [5.0]);
    assert_eq!(s.run(&[], &["exit"], &[]).unwrap(), [5.0]);
}

#[test]
fn a_fetch_on_the_side_that_was_not_taken_says_so() {
    let (c, g) = (Cluster::new(), graph());
    let x = g.op("Placeholder").name("x").attr("dtype", DType::Float).output();
    let five = g.op("Const").attr("dtype", DType::Float).attr("value", Tensor::scalar(5f32)).device(at(&ps())).output();
    let less = g.op("Less").inputs([x.clone(), five]).device(at(&ps())).output();
    let switch = g.op("Switch").name("switch").inputs([x, less]).device(at(&ps())).build();
    g.op("Identity").name("taken").input(switch.output(1)).device(at(&worker(1))).build();
    let s = c.session(&g);
    assert_eq!(s.run(&[("x", 1.0)], &["taken"], &[]).unwrap(), [1.0]);
    let e = s.run(&[("x", 9.0)], &["taken"], &[]).unwrap_err();
    assert_eq!(e.code(), Code::Internal);
    assert!(e.message().contains("Failed to fetch outputs for step") && e.message().contains(";taken:0;0:0 was not valid.)"), "{e}");
}

#[test]
fn a_partial_run_is_fed_and_fetched_piece_by_piece() {
    let (c, g) = (Cluster::new(), graph());
    let placeholder = |name: &str| g.op("Placeholder").name(name).attr("dtype", DType::Float).output();
    let (a, b) = (placeholder("a"), placeholder("b"));
    let first = g.op("Add").name("first").inputs([a.clone(), a]).device(at(&ps())).output();
    g.op("Mul").name("second").inputs([first, b]).device(at(&worker(1))).build();
    let s = c.session(&g);
    let signature = Signature { feeds: names(&["a", "b"]), fetches: names(&["first:0", "second"]), targets: vec![], ..Default::default() };
    let handle = block_on(pending(|done| s.master.partial_run_setup(&s.handle, signature, 0, done))).unwrap();
    assert_eq!(handle, "0");
    let part = |feeds: &[(&str, f32)], fetches: &[&str]| {
        s.run_request(RunRequest { partial_run_handle: handle.clone(), ..request(feeds, fetches, &[]) }).map(floats)
    };
    let early = part(&[("a", 2.0)], &["second"]).unwrap_err();
    assert!(early.message().ends_with("can't be computed from the feeds that have been fed so far."), "{early}");
    assert_eq!(part(&[("a:0", 2.0)], &["first"]).unwrap(), [4.0]);
    assert!(part(&[("a", 2.0)], &[]).unwrap_err().message().contains("had already been fed"));
    assert_eq!(part(&[("b", 5.0)], &["second:0"]).unwrap(), [20.0]);
    let over = part(&[], &["second"]).unwrap_err();
    assert_eq!(over.message(), "Must run PartialRunSetup before performing partial runs");
    c.wait_until_steps_are_forgotten();
}

#[test]
fn a_callable_takes_and_gives_tensors_by_position() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let s = c.session(&g);
    s.run(&[], &[], &["init"]).unwrap();
    let signature = Signature { feeds: names(&["x:0"]), fetches: names(&["z:0", "y:0"]), targets: vec![], ..Default::default() };
    let make = |signature: Signature| {
        let options = CallableOptions { signature, options: RunOptions::default() };
        block_on(pending(|done| s.master.make_callable(&s.handle, options, 0, done)))
    };
    let call = |handle, feeds: Vec<Tensor>| {
        block_on(pending(|done| s.master.run_callable(&s.handle, handle, feeds, 0, CallOptions::default(), done))).map(floats)
    };
    let handle = make(signature).unwrap();
    assert_eq!(handle, 0);
    assert_eq!(call(0, vec![Tensor::scalar(2f32)]).unwrap(), [12.0, 6.0]);
    assert!(call(0, vec![]).unwrap_err().message().contains("Expected 1 feed tensors, but got 0"));
    assert_eq!(call(3, vec![]).unwrap_err().message(), "No such callable handle: 3");
    s.master.release_callable(&s.handle, 0).unwrap();
    assert_eq!(call(0, vec![]).unwrap_err().message(), "Attempted to run callable after handle was released: 0");
    assert!(make(Signature { fetches: names(&["zz:0"]), ..Default::default() }).is_err());
}

#[test]
fn a_trace_shows_every_device_and_the_transfers() {
    let (c, g) = (Cluster::new(), graph());
    model(&g);
    let s = c.session(&g);
    s.run(&[], &[], &["init"]).unwrap();
    let options = RunOptions { trace: true, output_partition_graphs: true, timeout: None };
    let response = s.run_request(RunRequest { options, ..request(&[("x", 2.0)], &["z"], &[]) }).unwrap();
    let stats = &response.metadata.stats;
    for task in [ps(), worker(0), worker(1)] {
        assert!(stats.iter().any(|n| n.device.starts_with(&task.name())), "{}", task.name());
    }
    assert!(stats.iter().any(|n| &*n.node == "RecvTensor" && n.label.starts_with("[4B]")));
    assert_eq!(response.metadata.partition_graphs.len(), 3);
    assert_eq!(floats(response), [12.0]);
}

#[test]
fn a_step_without_other_tasks_runs_on_the_calling_thread() {
    let (c, g) = (Cluster::new(), graph());
    let x = g.op("Placeholder").name("x").attr("dtype", DType::Float).output();
    g.op("Add").name("y").inputs([x.clone(), x]).build();
    let s = c.session(&g);
    let me = std::thread::current().id();
    let (sender, receiver) = mpsc::channel();
    let done =
        Box::new(move |r: ferroflow_tensor::Result<RunResponse>| sender.send((std::thread::current().id(), floats(r.unwrap()))).unwrap());
    s.master.run_step(&s.handle, request(&[("x", 4.0)], &["y"], &[]), CallOptions::default(), done);
    assert_eq!(receiver.try_recv().unwrap(), (me, vec![8.0]));
}
