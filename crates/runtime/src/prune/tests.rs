//! What feeds, fetches and targets leave of a graph.

use super::*;
use crate::test_graph::{TestGraph, cpu, inputs_of};
use ferroflow_tensor::Code;

fn signature(feeds: &[&str], fetches: &[&str], targets: &[&str]) -> Signature {
    let own = |v: &[&str]| v.iter().map(|s| s.to_string()).collect();
    Signature { feeds: own(feeds), fetches: own(fetches), targets: own(targets), ..Signature::default() }
}

fn chain() -> TestGraph {
    let mut g = TestGraph::new();
    g.node("x", "Placeholder", &[], "").node("a", "Const", &[], "").node("n", "NoOp", &["^x"], "");
    g.node("y", "Add", &["x", "a", "^n"], "").node("z", "Identity", &["y"], "").node("other", "Identity", &["a"], "");
    g
}

fn run(g: &TestGraph, s: &Signature, mode: FeedFetch) -> Result<Pruned> {
    prune(&g.graph, s, mode, &cpu("worker", 0), &g.registry)
}

#[test]
fn only_what_is_needed_is_kept_and_feeds_take_over_placeholders() {
    let p = run(&chain(), &signature(&["x"], &["y:0"], &[]), FeedFetch::Rendezvous).unwrap();
    let names: Vec<&str> = p.graph.nodes().iter().map(|n| &*n.info.name).collect();
    assert_eq!(names, ["_recv_x_0", "a", "n", "y", "_send_y_0"]);
    assert_eq!(inputs_of(&p.graph, "n"), ["^_recv_x_0"]);
    assert_eq!(inputs_of(&p.graph, "y"), ["_recv_x_0:0", "a:0", "^n"]);
    let recv = p.graph.node(NodeId(0));
    assert_eq!(recv.info.attrs.str("tensor_name").unwrap(), "x:0");
    assert!(recv.info.attrs.bool("client_terminated").unwrap());
    assert_eq!(&*recv.assigned_device, "/job:worker/replica:0/task:0/device:CPU:0");
}

#[test]
fn a_call_frame_numbers_feeds_and_fetches_by_their_place_in_the_signature() {
    let p = run(&chain(), &signature(&["a:0", "x:0"], &["z", "y"], &[]), FeedFetch::CallFrame).unwrap();
    assert_eq!(inputs_of(&p.graph, "y"), ["_arg_x_0_1:0", "_arg_a_0_0:0", "^n"]);
    let retval = p.graph.node(p.graph.find("_retval_y_0_1").unwrap());
    assert_eq!(retval.info.attrs.int("index").unwrap(), 1);
    assert!(p.graph.find("a").is_none(), "a fed constant is not run");
}

#[test]
fn a_feed_that_nothing_depends_on_is_left_out_but_keeps_its_number() {
    let p = run(&chain(), &signature(&["a:0", "x:0"], &["x2"], &[]), FeedFetch::CallFrame);
    assert_eq!(p.err().unwrap().code(), Code::NotFound);
    let p = run(&chain(), &signature(&["y:0", "a:0"], &["other"], &[]), FeedFetch::CallFrame).unwrap();
    assert_eq!(inputs_of(&p.graph, "other"), ["_arg_a_0_1:0"]);
    assert_eq!(p.feed_types.len(), 2);
}

#[test]
fn wrong_requests_get_the_errors_that_clients_know() {
    let g = chain();
    let error = |s: Signature| {
        let e = run(&g, &s, FeedFetch::Rendezvous).err().unwrap();
        (e.code(), e.message())
    };
    use Code::*;
    assert_eq!(error(signature(&["x"], &[], &[])), (InvalidArgument, "Must specify at least one target to fetch or execute.".into()));
    assert_eq!(error(signature(&["y"], &["y:0"], &[])), (InvalidArgument, "y:0 is both fed and fetched.".into()));
    assert_eq!(error(signature(&["x", "x:0"], &["y"], &[])).0, InvalidArgument);
    assert_eq!(error(signature(&[], &["zz:0"], &[])), (NotFound, "FetchOutputs node zz:0: not found".into()));
    assert_eq!(error(signature(&["zz:0"], &["y"], &[])), (NotFound, "FeedInputs: unable to find feed output zz:0".into()));
    assert_eq!(error(signature(&[], &[], &["zz"])), (NotFound, "PruneForTargets: Some target nodes not found: zz ".into()));
    assert_eq!(error(signature(&[], &["y:1"], &[])), (InvalidArgument, "FetchOutputs y:1: output index too large, must be < 1".into()));
    assert!(error(signature(&[], &["n:0"], &[])).1.starts_with("Tried to fetch data for 'n:0', which produces no output."));
}

#[test]
fn a_partial_run_refuses_what_needs_a_missing_feed() {
    let g = chain();
    let names = |v: &[&str]| v.iter().map(|s| s.to_string()).collect::<Vec<_>>();
    check_computable(&g.graph, &names(&["other:0"]), &[], &names(&["x:0"])).unwrap();
    check_computable(&g.graph, &names(&["z:0"]), &names(&["y:0"]), &names(&["x:0"])).unwrap();
    let e = check_computable(&g.graph, &names(&["z:0"]), &[], &names(&["x:0"])).unwrap_err();
    assert!(e.message().ends_with("can't be computed from the feeds that have been fed so far."));
}

/// `from` in the place of `to`.
fn connected(from: &str, to: &str, fetches: &[&str]) -> Signature {
    let connections = vec![TensorConnection { from: from.into(), to: to.into() }];
    Signature { connections, ..signature(&[], fetches, &[]) }
}

#[test]
fn a_connected_tensor_takes_the_place_of_another() {
    let p = run(&chain(), &connected("a", "x:0", &["z"]), FeedFetch::CallFrame).unwrap();
    assert_eq!(inputs_of(&p.graph, "_identity_x_0"), ["a:0"]);
    assert_eq!(inputs_of(&p.graph, "y"), ["_identity_x_0:0", "a:0", "^n"]);
    assert!(p.graph.find("x").is_none() && p.feed_types.is_empty());
    let p = run(&chain(), &connected("x", "y", &["other"]), FeedFetch::CallFrame).unwrap();
    assert_eq!(p.graph.len(), 3, "a connection that nothing needs is left out");
}

#[test]
fn impossible_connections_are_refused() {
    let g = chain();
    let error = |s: Signature| run(&g, &s, FeedFetch::CallFrame).err().unwrap().message();
    assert!(error(connected("z:0", "x:0", &["z"])).ends_with("would create a cycle."));
    assert!(error(connected("y:0", "y", &["z"])).ends_with("would create a cycle."));
    assert!(error(connected("zz:0", "x:0", &["z"])).starts_with("Requested tensor connection from unknown node"));
    assert!(error(connected("n:0", "x:0", &["z"])).ends_with("(actual number of outputs = 0)."));
    assert_eq!(error(connected("a:0", "z:0", &["z"])), "z:0 is both fed and fetched.");
    let both = Signature { feeds: vec!["x".into()], ..connected("a:0", "x:0", &["z"]) };
    assert_eq!(error(both), "Endpoint \"x:0\" fed more than once.");
}
