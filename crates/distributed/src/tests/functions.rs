//! Functions whose nodes name tasks: they are expanded before the step is cut.

use super::*;
use ferroflow_graph::op::OpDef;
use ferroflow_graph::{AttrMap, AttrValue, FuncAttr, FunctionDef, NodeDef};
use ferroflow_tensor::{Code, Tensor};

fn node(name: &str, op: &str, inputs: &[&str], device: &str, attrs: &[(&str, AttrValue)]) -> NodeDef {
    let mut all: AttrMap = attrs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    if matches!(op, "Add" | "Mul" | "Less") {
        all.insert("T", DType::Float);
    }
    NodeDef { name: name.into(), op: op.into(), inputs: inputs.iter().map(|s| s.to_string()).collect(), device: device.into(), attrs: all }
}

fn define(g: &Graph, signature: &str, nodes: Vec<NodeDef>, ret: &[(&str, &str)]) {
    let signature = OpDef::parse(signature, "", "").unwrap();
    let ret = ret.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    g.add_function(FunctionDef { signature, nodes, ret, ..FunctionDef::default() }).unwrap();
}

fn function(name: &str) -> AttrValue {
    AttrValue::Func(FuncAttr { name: name.to_owned(), ..FuncAttr::default() })
}

fn float(g: &Graph, v: f32) -> Output {
    g.op("Const").attr("dtype", DType::Float).attr("value", Tensor::scalar(v)).output()
}

const WORKER_1: &str = "/job:worker/task:1";
const PS: &str = "/job:ps/task:0";

#[test]
fn the_body_of_a_loop_runs_on_another_task() {
    let (c, g) = (Cluster::new(), graph());
    define(&g, "less(i: float, n: float, by: float) -> (z: bool)", vec![node("l", "Less", &["i", "n"], "", &[])], &[("z", "l:z:0")]);
    let body = vec![node("sum", "Add", &["i", "by"], WORKER_1, &[])];
    let ret = [("i2", "sum:z:0"), ("n2", "n"), ("by2", "by")];
    define(&g, "step(i: float, n: float, by: float) -> (i2: float, n2: float, by2: float)", body, &ret);
    let n = g.op("Placeholder").name("n").attr("dtype", DType::Float).output();
    let read = {
        variable(&g);
        g.output("v/read").unwrap()
    };
    let inputs = [float(&g, 0.0), n, read];
    let looped = g.op("While").name("loop").input_list(inputs).attr("cond", function("less")).attr("body", function("step"));
    looped.attr("_lower_using_switch_merge", true).device(at(&worker(0))).build();
    let s = c.session(&g);
    s.run(&[], &[], &["init"]).unwrap();
    for (n, want) in [(0.0, 0.0), (1.0, 3.0), (7.0, 9.0)] {
        assert_eq!(s.run(&[("n", n)], &["loop:0", "loop:2"], &[]).unwrap(), [want, 3.0], "{n}");
    }
    c.wait_until_steps_are_forgotten();
}

/// `cond(x < 5)`: twice `x` on worker 1, or `x` squared on the ps.
fn conditional(g: &Graph, else_device: &str) {
    define(g, "then(x: float) -> (y: float)", vec![node("twice", "Add", &["x", "x"], WORKER_1, &[])], &[("y", "twice:z:0")]);
    define(g, "else(x: float) -> (y: float)", vec![node("square", "Mul", &["x", "x"], else_device, &[])], &[("y", "square:z:0")]);
    let x = g.op("Placeholder").name("x").attr("dtype", DType::Float).output();
    let less = g.op("Less").inputs([x.clone(), float(g, 5.0)]).output();
    let cond = g.op("If").name("cond").input(less).input_list([x]).attr("Tout", vec![DType::Float]);
    cond.attr("then_branch", function("then")).attr("else_branch", function("else")).attr("_lower_using_switch_merge", true).build();
    let cond = g.output("cond").unwrap();
    g.op("Add").name("after").inputs([cond.clone(), cond]).build();
}

#[test]
fn branches_run_on_the_tasks_that_they_name() {
    let (c, g) = (Cluster::new(), graph());
    conditional(&g, PS);
    let s = c.session(&g);
    for (x, want) in [(2.0, 4.0), (6.0, 36.0), (3.0, 6.0)] {
        assert_eq!(s.run(&[("x", x)], &["cond"], &[]).unwrap(), [want], "{x}");
    }
    assert!(c.calls(&worker(1)) > 0 && c.calls(&ps()) > 0);
    assert!(s.run(&[("x", 1.0)], &[], &["cond"]).unwrap().is_empty());
    assert_eq!(s.run(&[("cond", 8.0)], &["after"], &[]).unwrap(), [16.0], "a fed output is not computed");
}

/// `call`, of a function without arguments.
fn call(g: &Graph, name: &str) {
    let none: [Output; 0] = [];
    g.op("StatefulPartitionedCall").name("call").input_list(none).attr("Tout", vec![DType::Float]).attr("f", function(name)).build();
}

#[test]
fn a_device_in_a_body_that_cannot_be_had_fails_the_session() {
    let (c, g) = (Cluster::new(), graph());
    conditional(&g, "/job:nowhere/task:3");
    let e = c.session_at(&worker(0), &g, Default::default()).err().unwrap();
    assert_eq!(e.code(), Code::InvalidArgument);
    assert!(e.message().contains("cond/else/square") && e.message().contains("/job:nowhere/task:3"), "{e}");
}

#[test]
fn a_body_that_cannot_be_expanded_fails_only_the_steps_that_need_it() {
    let (c, g) = (Cluster::new(), graph());
    conditional(&g, PS);
    define(&g, "unknown() -> (y: float)", vec![node("odd", "NoSuchOp", &[], "", &[])], &[("y", "odd:y:0")]);
    call(&g, "unknown");
    let s = c.session(&g);
    assert_eq!(s.run(&[("x", 2.0)], &["cond"], &[]).unwrap(), [4.0]);
    let e = s.run(&[], &["call"], &[]).unwrap_err();
    assert!(e.message().contains("NoSuchOp"), "{e}");
}

#[test]
fn a_node_of_a_body_that_fails_is_named_with_its_caller() {
    let (c, g) = (Cluster::new(), graph());
    define(&g, "fails() -> (y: float)", vec![node("boom", "Fail", &[], WORKER_1, &[])], &[("y", "boom:x:0")]);
    call(&g, "fails");
    let e = c.session(&g).run(&[], &["call"], &[]).unwrap_err();
    assert!(e.message().contains("boom") && e.message().contains("call/boom"), "{e}");
}
