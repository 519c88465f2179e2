//! What functional nodes turn into, and that it computes the same.

use super::*;
use crate::executor::tests::net::Net;
use crate::{DirectSession, SessionOptions};
use ferroflow_graph::op::OpDef;
use ferroflow_graph::{AttrMap, AttrValue, FunctionDef, NodeDef};
use ferroflow_tensor::{Code, DType, Tensor};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn call_of(name: &str) -> AttrValue {
    AttrValue::Func(FuncAttr { name: name.to_owned(), ..FuncAttr::default() })
}

/// A node of a body; `attrs` that an op of the test registry needs are filled in.
fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, AttrValue)]) -> NodeDef {
    let mut all: AttrMap = attrs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    if matches!(op, "Add" | "Mul" | "Identity" | "AssignAdd") {
        all.insert("T", DType::Int32);
    }
    NodeDef { name: name.into(), op: op.into(), inputs: inputs.iter().map(|s| s.to_string()).collect(), device: String::new(), attrs: all }
}

fn constant(name: &str, value: i32) -> NodeDef {
    node(name, "Const", &[], &[("value", Tensor::scalar(value).into()), ("dtype", DType::Int32.into())])
}

/// `signature` is `name(x: int32, …) -> (y: int32, …)`.
fn define(net: &mut Net, signature: &str, nodes: Vec<NodeDef>, ret: &[(&str, &str)]) {
    define_with(net, signature, nodes, ret, |_| ());
}

fn define_with(net: &mut Net, signature: &str, nodes: Vec<NodeDef>, ret: &[(&str, &str)], change: impl Fn(&mut FunctionDef)) {
    let mut def = FunctionDef {
        signature: OpDef::parse(signature, "", "").unwrap(),
        nodes,
        ret: ret.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        ..FunctionDef::default()
    };
    // What tests count is a control output.
    if def.nodes.iter().any(|n| n.name == "count") {
        def.control_ret.insert("count".into(), "count".into());
        def.control_outputs.push("count".into());
    }
    change(&mut def);
    net.library.add(Arc::new(def)).unwrap();
}

fn ints(n: usize) -> AttrValue {
    vec![DType::Int32; n].into()
}

fn call(net: &mut Net, name: &str, function: &str, inputs: &[&str], outputs: usize) {
    let n = inputs.iter().filter(|i| !i.starts_with('^')).count();
    net.node(name, "StatefulPartitionedCall", inputs).with("Tin", ints(n)).with("Tout", ints(outputs)).with("f", call_of(function));
}

fn conditional(net: &mut Net, name: &str, op: &str, inputs: &[&str], outputs: usize) {
    let n = inputs.iter().filter(|i| !i.starts_with('^')).count() - 1;
    net.node(name, op, inputs).with("Tin", ints(n)).with("Tout", ints(outputs)).with("_lower_using_switch_merge", true);
    if op == "Case" {
        net.with("branches", AttrValue::Funcs(["then", "else", "other"].map(|f| FuncAttr { name: f.into(), ..Default::default() }).into()));
    } else {
        net.with("Tcond", DType::Bool).with("then_branch", call_of("then")).with("else_branch", call_of("else"));
    }
}

fn repeat(net: &mut Net, name: &str, cond: &str, body: &str, inputs: &[&str]) {
    let n = inputs.iter().filter(|i| !i.starts_with('^')).count();
    net.node(name, "While", inputs).with("T", ints(n)).with("cond", call_of(cond)).with("body", call_of(body));
    net.with("_lower_using_switch_merge", true);
}

/// `then` adds one and counts, `else` squares and counts, `other` is 7.
fn branches(net: &mut Net) {
    let counted = |body: NodeDef| vec![body, node("count", "Count", &[], &[])];
    define(net, "then(x: int32) -> (y: int32)", counted(node("inc", "AddOne", &["x"], &[])), &[("y", "inc:y:0")]);
    define(net, "else(x: int32) -> (y: int32)", counted(node("sq", "Mul", &["x", "x"], &[])), &[("y", "sq:z:0")]);
    define(net, "other(x: int32) -> (y: int32)", vec![constant("seven", 7)], &[("y", "seven:output:0")]);
}

/// `i < n`, and a body that adds `x` to a sum and one to `i`.
fn summing(net: &mut Net) {
    define(net, "less(i: int32, n: int32, s: int32, x: int32) -> (z: bool)", vec![node("l", "Less", &["i", "n"], &[])], &[("z", "l:z:0")]);
    let body = vec![node("inc", "AddOne", &["i"], &[]), node("sum", "Add", &["s", "x"], &[]), node("count", "Count", &[], &[])];
    let ret = [("i2", "inc:y:0"), ("n2", "n"), ("s2", "sum:z:0"), ("x2", "x")];
    define(net, "step(i: int32, n: int32, s: int32, x: int32) -> (i2: int32, n2: int32, s2: int32, x2: int32)", body, &ret);
}

struct Run {
    session: DirectSession,
    graph: NodeGraph,
    registry: Arc<OpRegistry>,
}

impl Run {
    fn of(net: &Net) -> Run {
        let session = DirectSession::new(net.registry.clone(), SessionOptions::default());
        session.extend(net.graph()).unwrap();
        Run { session, graph: net.graph(), registry: net.registry.clone() }
    }

    fn ints(&self, feeds: &[(&str, Tensor)], fetches: &[&str]) -> Vec<i32> {
        let results = self.session.run(feeds, fetches, &[]).unwrap();
        results.iter().map(|t| t.to_scalar().unwrap()).collect()
    }

    fn count(&self, node: &str) -> usize {
        crate::executor::tests::ops::tally(&self.session.device().resources, node).unwrap().0.load(Ordering::SeqCst)
    }

    fn lowered(&self) -> NodeGraph {
        lower(&self.graph, &self.graph, &self.registry).unwrap()
    }
}

fn names(graph: &NodeGraph, op: &str) -> Vec<String> {
    graph.nodes().iter().filter(|n| n.info.op_name() == op).map(|n| n.info.name.to_string()).collect()
}

#[test]
fn a_branch_runs_once_and_the_other_not_at_all() {
    let mut net = Net::new();
    branches(&mut net);
    net.node("p", "Placeholder", &[]).with("dtype", DType::Bool).constant("x", 5);
    conditional(&mut net, "cond", "If", &["p", "x"], 1);
    net.node("after", "Count", &["^cond"]);
    let run = Run::of(&net);
    assert!(!run.lowered().nodes().iter().any(|n| n.info.op_name() == "If"));
    assert_eq!(run.ints(&[("p", Tensor::scalar(true))], &["cond"]), [6]);
    assert_eq!(run.ints(&[("p", Tensor::scalar(false))], &["cond:0"]), [25]);
    assert_eq!((run.count("cond/then/count"), run.count("cond/else/count")), (1, 1));
    // As a target, and through a control edge only.
    run.session.run(&[("p", Tensor::scalar(true))], &[], &["cond"]).unwrap();
    run.session.run(&[("p", Tensor::scalar(true))], &[], &["after"]).unwrap();
    assert_eq!((run.count("cond/then/count"), run.count("cond/else/count"), run.count("after")), (3, 1, 1));
    // A fed output is not computed.
    assert_eq!(run.ints(&[("cond", Tensor::scalar(8i32))], &["cond"]), [8]);
}

#[test]
fn stateful_nodes_that_no_control_output_names_run_only_in_functions_called_by_name() {
    let mut net = Net::new();
    let body = || vec![node("inc", "AddOne", &["x"], &[]), node("tally", "Count", &[], &[])];
    for name in ["then", "else", "f"] {
        define(&mut net, &format!("{name}(x: int32) -> (y: int32)"), body(), &[("y", "inc:y:0")]);
    }
    define(&mut net, "outer(x: int32) -> (y: int32)", vec![node("by_name", "f", &["x"], &[])], &[("y", "by_name:y:0")]);
    net.bool("p", true).constant("x", 5);
    conditional(&mut net, "cond", "If", &["p", "x"], 1);
    call(&mut net, "call", "f", &["x"], 1);
    call(&mut net, "deep", "outer", &["x"], 1);
    let run = Run::of(&net);
    assert_eq!(run.ints(&[], &["cond", "call", "deep"]), [6, 6, 6]);
    let counts = ["cond/then/tally", "cond/else/tally", "call/tally", "deep/by_name/tally"].map(|n| run.count(n));
    assert_eq!(counts, [0, 0, 0, 1]);
}

#[test]
fn a_condition_need_not_be_a_bool() {
    let mut net = Net::new();
    branches(&mut net);
    net.constant("p", 3).constant("x", 5);
    conditional(&mut net, "cond", "If", &["p", "x"], 1);
    net.with("Tcond", DType::Int32);
    assert_eq!(Run::of(&net).ints(&[], &["cond"]), [6]);
}

#[test]
fn an_index_outside_takes_the_last_branch() {
    let mut net = Net::new();
    branches(&mut net);
    net.node("i", "Placeholder", &[]).constant("x", 5);
    conditional(&mut net, "case", "Case", &["i", "x"], 1);
    let run = Run::of(&net);
    for (i, want) in [(0, 6), (1, 25), (2, 7), (3, 7), (-1, 7)] {
        assert_eq!(run.ints(&[("i", Tensor::scalar(i))], &["case"]), [want], "{i}");
    }
    assert_eq!((run.count("case/branch0/count"), run.count("case/branch1/count")), (1, 1));
}

#[test]
fn a_loop_keeps_what_it_does_not_change_out_of_its_iterations() {
    let mut net = Net::new();
    summing(&mut net);
    net.node("n", "Placeholder", &[]).constant("zero", 0).constant("x", 5);
    repeat(&mut net, "loop", "less", "step", &["zero", "n", "zero", "x"]);
    let run = Run::of(&net);
    for n in [0, 1, 4] {
        let count = run.count("loop/body/count");
        assert_eq!(run.ints(&[("n", Tensor::scalar(n))], &["loop:0", "loop:1", "loop:2", "loop:3"]), [n, n, 5 * n, 5]);
        assert_eq!(run.count("loop/body/count") - count, n as usize, "effects happen once per iteration");
    }
    let graph = run.lowered();
    assert_eq!((names(&graph, "Merge").len(), names(&graph, "Enter").len()), (2, 4));
    let parallel = |n: &ferroflow_graph::Node| n.info.attrs.int("parallel_iterations").unwrap();
    assert!(graph.nodes().iter().filter(|n| n.info.op_name() == "Enter").all(|n| parallel(n) == 10));
}

#[test]
fn a_body_that_needs_only_captured_tensors_still_stops_with_the_loop() {
    let mut net = Net::new();
    define(&mut net, "less(i: int32, n: int32) -> (z: bool)", vec![node("l", "Less", &["i", "n"], &[])], &[("z", "l:z:0")]);
    let fails = node("bad", "Fail", &["^sq"], &[("message", "the body ran".into())]);
    let body = vec![node("inc", "AddOne", &["i"], &[]), node("sq", "Mul", &["n", "n"], &[]), fails];
    define_with(&mut net, "step(i: int32, n: int32) -> (i2: int32, n2: int32)", body, &[("i2", "inc:y:0"), ("n2", "n")], |f| {
        f.control_ret.insert("bad".into(), "bad".into());
        f.control_outputs.push("bad".into());
    });
    net.node("n", "Placeholder", &[]).constant("zero", 0);
    repeat(&mut net, "loop", "less", "step", &["zero", "n"]);
    let run = Run::of(&net);
    assert_eq!(run.ints(&[("n", Tensor::scalar(0i32))], &["loop"]), [0]);
    let e = run.session.run(&[("n", Tensor::scalar(1i32))], &["loop"], &[]).unwrap_err();
    assert_eq!((e.bare_message(), e.node()), ("the body ran", Some("loop/body/bad")));
}

#[test]
fn loops_and_conditionals_nest() {
    let mut net = Net::new();
    branches(&mut net);
    define(&mut net, "less(i: int32, n: int32, s: int32) -> (z: bool)", vec![node("l", "Less", &["i", "n"], &[])], &[("z", "l:z:0")]);
    define(
        &mut net,
        "inner(i: int32, n: int32, s: int32) -> (i2: int32, n2: int32, s2: int32)",
        {
            let one = node("inc", "AddOne", &["i"], &[]);
            let odd = node("p", "Less", &["s", "two:output:0"], &[]);
            let attrs = [
                ("Tcond", DType::Bool.into()),
                ("Tin", ints(1)),
                ("Tout", ints(1)),
                ("then_branch", call_of("then")),
                ("else_branch", call_of("else")),
                ("_lower_using_switch_merge", true.into()),
            ];
            vec![one, constant("two", 2), odd, node("cond", "If", &["p:z:0", "s"], &attrs)]
        },
        &[("i2", "inc:y:0"), ("n2", "n"), ("s2", "cond:output:0")],
    );
    let while_attrs = |cond: &str, body: &str| {
        [("T", ints(3)), ("cond", call_of(cond)), ("body", call_of(body)), ("_lower_using_switch_merge", true.into())]
    };
    let nodes = vec![
        constant("zero", 0),
        node("inc", "AddOne", &["i"], &[]),
        node("in", "While", &["zero:output:0", "inc:y:0", "s"], &while_attrs("less", "inner")),
    ];
    define(
        &mut net,
        "outer(i: int32, n: int32, s: int32) -> (i2: int32, n2: int32, s2: int32)",
        nodes,
        &[("i2", "inc:y:0"), ("n2", "n"), ("s2", "in:output:2")],
    );
    net.node("n", "Placeholder", &[]).constant("zero", 0);
    repeat(&mut net, "out", "less", "outer", &["zero", "n", "zero"]);
    let run = Run::of(&net);
    // 0 → 1 → 2 → 4 → 16 …: below two one is added, else it is squared; n (n + 1) / 2 times.
    for (n, want) in [(0, 0), (1, 1), (2, 4)] {
        assert_eq!(run.ints(&[("n", Tensor::scalar(n))], &["out:2"]), [want], "{n}");
    }
    let names = names(&run.lowered(), "LoopCond");
    assert_eq!(names, ["out/loop_cond", "out/body/in/loop_cond"]);
}

#[test]
fn calls_become_nodes_in_every_depth_and_keep_control_edges() {
    let mut net = Net::new();
    let counted = vec![node("inc", "AddOne", &["x"], &[]), node("count", "Count", &[], &[])];
    define(&mut net, "leaf(x: int32) -> (y: int32)", counted, &[("y", "inc:y:0")]);
    let attrs = [("Tin", ints(1)), ("Tout", ints(1)), ("f", call_of("leaf"))];
    let nodes = vec![node("a", "PartitionedCall", &["x"], &attrs), node("b", "leaf", &["a:output:0"], &[])];
    define(&mut net, "twice(x: int32) -> (y: int32, same: int32)", nodes, &[("y", "b:y:0"), ("same", "x")]);
    net.constant("x", 3).node("first", "Count", &[]);
    call(&mut net, "call", "twice", &["x", "^first"], 2);
    net.node("last", "Count", &["^call"]);
    let run = Run::of(&net);
    assert_eq!(run.ints(&[], &["call:0", "call:1"]), [5, 3]);
    assert_eq!((run.count("call/a/count"), run.count("call/b/count"), run.count("first")), (1, 1, 1));
    let graph = run.lowered();
    let before = |name: &str| -> Vec<String> {
        let node = graph.node(graph.find(name).unwrap());
        node.control_inputs.iter().map(|c| graph.node(*c).info.name.to_string()).collect()
    };
    assert_eq!(before("call/a/count"), ["first"]);
    let mut waits = before("last");
    for _ in 0..2 {
        waits = waits.iter().flat_map(|n| [vec![n.clone()], before(n)].concat()).collect();
    }
    assert!(["call/a/count", "call/b/count", "call/b/inc"].iter().all(|n| waits.iter().any(|w| w == n)), "{waits:?}");
}

#[test]
fn a_call_in_the_untaken_branch_of_an_old_conditional_does_nothing() {
    let mut net = Net::new();
    define(&mut net, "f(x: int32) -> (y: int32)", vec![constant("nine", 9), node("count", "Count", &[], &[])], &[("y", "nine:output:0")]);
    net.node("p", "Placeholder", &[]).with("dtype", DType::Bool).constant("x", 5).node("s", "Switch", &["x", "p"]);
    call(&mut net, "call", "f", &["s:1"], 1);
    net.node("m", "Merge", &["s:0", "call"]);
    let run = Run::of(&net);
    assert_eq!(run.ints(&[("p", Tensor::scalar(false))], &["m"]), [5]);
    assert_eq!(run.count("call/count"), 0);
    assert_eq!(run.ints(&[("p", Tensor::scalar(true))], &["m"]), [9]);
    assert_eq!(run.count("call/count"), 1);
}

#[test]
fn nodes_of_a_body_take_what_their_device_leaves_open_from_the_caller() {
    let mut net = Net::new();
    let mut inc = node("inc", "AddOne", &["x"], &[]);
    inc.device = "/job:ps/task:1".into();
    let mut square = node("sq", "Mul", &["inc:y:0", "inc:y:0"], &[("_class", vec![bytes::Bytes::from("loc:@inc")].into())]);
    square.device = "/device:CPU:0".into();
    define(&mut net, "f(x: int32) -> (y: int32)", vec![inc, square, node("id", "Identity", &["sq:z:0"], &[])], &[("y", "id:output:0")]);
    net.constant("x", 3);
    call(&mut net, "call", "f", &["x"], 1);
    let mut graph = net.graph();
    let id = graph.find("call").unwrap();
    graph.node_mut(id).requested_device = "/job:worker/task:2".into();
    let lowered = lower(&graph, &graph, &net.registry).unwrap();
    let node = |name: &str| lowered.node(lowered.find(name).unwrap());
    assert_eq!(&*node("call/inc").requested_device, "/job:ps/task:1");
    assert_eq!(&*node("call/sq").requested_device, "/job:worker/task:2/device:CPU:0");
    assert_eq!(&*node("call/id").requested_device, "/job:worker/task:2");
    assert_eq!(node("call/sq").info.attrs.strs("_class").unwrap(), ["loc:@call/inc"]);
}

#[test]
fn what_forbids_it_and_what_recurs_stays_a_call() {
    let mut net = Net::new();
    let body = || vec![node("inc", "AddOne", &["x"], &[])];
    define_with(&mut net, "closed(x: int32) -> (y: int32)", body(), &[("y", "inc:y:0")], |f| f.attrs.insert("_noinline", true));
    let again = node("again", "recurs", &["inc:y:0"], &[]);
    define(&mut net, "recurs(x: int32) -> (y: int32)", [body(), vec![again]].concat(), &[("y", "again:y:0")]);
    net.constant("x", 3);
    call(&mut net, "a", "closed", &["x"], 1);
    call(&mut net, "b", "recurs", &["x"], 1);
    let run = Run::of(&net);
    assert_eq!(run.ints(&[], &["a"]), [4]);
    let graph = run.lowered();
    assert_eq!(names(&graph, "StatefulPartitionedCall"), ["a"]);
    assert_eq!(names(&graph, "recurs"), ["b/again"]);
}

#[test]
fn functions_that_double_with_every_level_are_refused() {
    let mut net = Net::new();
    define(&mut net, "f0(x: int32) -> (y: int32)", vec![node("inc", "AddOne", &["x"], &[])], &[("y", "inc:y:0")]);
    for i in 1..40 {
        let inner = format!("f{}", i - 1);
        let nodes = vec![node("a", &inner, &["x"], &[]), node("b", &inner, &["a:y:0"], &[])];
        define(&mut net, &format!("f{i}(x: int32) -> (y: int32)"), nodes, &[("y", "b:y:0")]);
    }
    net.constant("x", 3);
    call(&mut net, "call", "f39", &["x"], 1);
    let graph = net.graph();
    let e = lower(&graph, &graph, &net.registry).err().unwrap();
    assert_eq!(e.code(), Code::ResourceExhausted, "{e}");
}

#[test]
fn calls_that_do_not_fit_their_function_are_refused_with_their_names() {
    let mut net = Net::new();
    define(&mut net, "f(x: int32) -> (y: int32)", vec![node("inc", "AddOne", &["x"], &[])], &[("y", "inc:y:0")]);
    net.constant("x", 3);
    call(&mut net, "few", "f", &["x", "x"], 1);
    let graph = net.graph();
    let e = lower(&graph, &graph, &net.registry).err().unwrap();
    assert_eq!((e.code(), e.node()), (Code::InvalidArgument, Some("few")));
    assert!(e.message().contains("takes 1 arguments, 2 are given"), "{e}");
}

#[test]
fn names_of_the_session_are_not_taken() {
    let mut net = Net::new();
    define(&mut net, "f(x: int32) -> (y: int32)", vec![node("inc", "AddOne", &["x"], &[])], &[("y", "inc:y:0")]);
    net.constant("x", 3).constant("call/inc", 70);
    call(&mut net, "call", "f", &["x"], 1);
    let run = Run::of(&net);
    assert_eq!(run.ints(&[], &["call", "call/inc"]), [4, 70]);
    assert_eq!(run.ints(&[], &["call"]), [4]);
    assert_eq!(names(&run.lowered(), "AddOne"), ["call/inc_1"]);
}

#[test]
fn stateful_kernels_of_bodies_live_from_step_to_step() {
    let mut net = Net::new();
    define(&mut net, "f() -> (y: int32)", vec![node("next", "Serial", &[], &[])], &[("y", "next:y:0")]);
    call(&mut net, "call", "f", &[], 1);
    net.node("other", "AddOne", &["call"]);
    let run = Run::of(&net);
    assert_eq!(run.ints(&[], &["call"]), [1]);
    assert_eq!(run.ints(&[], &["other"]), [3], "another step, the same kernel");
}
