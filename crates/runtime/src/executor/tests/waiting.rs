//! Kernels that wait, functions, shared kernels, statistics.

use super::net::{Net, int};
use super::ops::gate;
use crate::{Executor, StepStatsCollector};
use ferroflow_graph::op::OpDef;
use ferroflow_graph::{AttrMap, AttrValue, FuncAttr, FunctionDef, NodeDef};
use ferroflow_tensor::{Code, DType, Tensor};
use std::sync::Arc;

#[test]
fn a_waiting_kernel_holds_no_thread_and_the_step_goes_on_when_it_ends() {
    let mut net = Net::new();
    net.node("a", "Wait", &[]).node("b", "Wait", &[]).node("sum", "Add", &["a", "b"]).result(0, "sum", DType::Int32);
    let machine = net.machine_with(1).unwrap();
    let done = machine.start(&machine.step(), vec![]);
    let gate = gate(machine.resources());
    gate.open("b", 2);
    gate.open("a", 1);
    assert_eq!(int(&done.recv().unwrap().unwrap(), 0), 3);
}

#[test]
fn what_does_not_depend_on_a_waiting_kernel_runs_meanwhile() {
    let mut net = Net::new();
    net.node("w", "Wait", &[]).constant("x", 1).node("y", "AddOne", &["x"]).node("c", "Count", &["^y"]).result(0, "w", DType::Int32);
    let machine = net.machine();
    let done = machine.start(&machine.step(), vec![]);
    assert_eq!(machine.count("c"), 1, "the calling thread has run it before it returned");
    gate(machine.resources()).open("w", 5);
    assert_eq!(int(&done.recv().unwrap().unwrap(), 0), 5);
}

#[test]
fn stateful_kernels_are_shared_by_the_graphs_of_a_session_and_others_are_not() {
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).constant("one", 1).node("init", "Assign", &["v", "one"]);
    let machine = net.machine();
    assert_eq!(machine.params.kernels.len(), 1);
    Executor::new(&net.graph(), &machine.params).unwrap();
    assert_eq!(machine.params.kernels.len(), 1);
}

/// `f(x) = x + x`, for any type.
fn twice() -> Arc<FunctionDef> {
    let mut attrs = AttrMap::new();
    attrs.insert("T", AttrValue::Placeholder("T".to_owned()));
    let add = NodeDef { name: "add".into(), op: "Add".into(), inputs: vec!["x".into(), "x".into()], attrs, ..NodeDef::default() };
    let unused = NodeDef { name: "bad".into(), op: "Forgetful".into(), ..NodeDef::default() };
    Arc::new(FunctionDef {
        signature: OpDef::parse("twice(x: T) -> (y: T)", "T: type", "").unwrap(),
        nodes: vec![unused, add],
        ret: [("y".to_owned(), "add:z:0".to_owned())].into(),
        ..FunctionDef::default()
    })
}

fn call(net: &mut Net, name: &str, function: &str, input: &str) {
    let mut attrs = AttrMap::new();
    attrs.insert("T", DType::Int32);
    net.node(name, "Call", &[input]);
    net.with("f", AttrValue::Func(FuncAttr { name: function.to_owned(), attrs }));
    net.with("Tin", vec![DType::Int32]).with("Tout", vec![DType::Int32]);
}

#[test]
fn a_function_runs_inside_the_step_and_only_what_it_needs() {
    let mut net = Net::new();
    net.library.add(twice()).unwrap();
    net.arg("x", 0);
    call(&mut net, "f", "twice", "x");
    call(&mut net, "g", "twice", "f");
    net.result(0, "g", DType::Int32);
    let machine = net.machine();
    for x in [1, 5] {
        assert_eq!(int(&machine.run(vec![Tensor::scalar(x).into()]).unwrap(), 0), 4 * x);
    }
}

#[test]
fn functions_call_functions() {
    let mut net = Net::new();
    net.library.add(twice()).unwrap();
    let mut attrs = AttrMap::new();
    attrs.insert("Tin", vec![DType::Int32]);
    attrs.insert("Tout", vec![DType::Int32]);
    let mut of_f = AttrMap::new();
    of_f.insert("T", DType::Int32);
    attrs.insert("f", AttrValue::Func(FuncAttr { name: "twice".into(), attrs: of_f }));
    let inner = NodeDef { name: "c".into(), op: "Call".into(), inputs: vec!["x".into()], attrs, ..NodeDef::default() };
    let mut by_name = AttrMap::new();
    by_name.insert("T", DType::Int32);
    let named = NodeDef { name: "d".into(), op: "twice".into(), inputs: vec!["c:results:0".into()], attrs: by_name, ..NodeDef::default() };
    net.library
        .add(Arc::new(FunctionDef {
            signature: OpDef::parse("four(x: int32) -> (y: int32)", "", "").unwrap(),
            nodes: vec![inner, named],
            ret: [("y".to_owned(), "d:y:0".to_owned())].into(),
            ..FunctionDef::default()
        }))
        .unwrap();
    net.constant("x", 3);
    call(&mut net, "f", "four", "x");
    net.result(0, "f", DType::Int32);
    assert_eq!(net.run_int(), 12);
}

#[test]
fn an_unknown_function_fails_its_caller() {
    let mut net = Net::new();
    net.constant("x", 3);
    call(&mut net, "f", "nothing", "x");
    let e = net.run().err().unwrap();
    assert_eq!((e.code(), e.node()), (Code::NotFound, Some("f")));
}

#[test]
fn statistics_name_each_kernel_that_ran_with_its_outputs() {
    let mut net = Net::new();
    net.constant("x", 3).node("y", "AddOne", &["x"]).node("w", "Wait", &["^y"]).node("h", "Heavy", &["y"]).result(0, "w", DType::Int32);
    let machine = net.machine();
    let collector = Arc::new(StepStatsCollector::new());
    let (sender, receiver) = std::sync::mpsc::channel();
    machine.executor.run_async(machine.step(), vec![], Some(collector.clone()), Box::new(move |r| sender.send(r).unwrap()));
    gate(machine.resources()).open("w", 1);
    receiver.recv().unwrap().unwrap();
    let mut stats = collector.take();
    stats.sort_by(|a, b| a.node.cmp(&b.node));
    let labels: Vec<&str> = stats.iter().map(|s| s.label.as_str()).collect();
    assert_eq!(labels, ["h = Heavy(y)", "w = Wait()", "x = Const()", "y = AddOne(x)"]);
    assert!(stats.iter().all(|s| s.outputs.len() == 1 && s.outputs[0].num_bytes == 4 && s.start_nanos > 0));
    assert_eq!(&*stats[0].device, "/job:a/replica:0/task:0/device:CPU:0");
}
