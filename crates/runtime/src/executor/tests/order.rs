//! Chains, diamonds, fan-out, sharing and moving of values, references, concurrency.

use super::net::{Net, int, tensor};
use super::ops::{Meeting, gate};
use ferroflow_graph::kernel::Value;
use ferroflow_tensor::{Code, DType, Tensor};
use std::sync::{Arc, Barrier};

fn chain(length: usize) -> Net {
    let mut net = Net::new();
    net.constant("x0", 0).constant("one", 1);
    for i in 0..length {
        net.node(format!("x{}", i + 1), "Add", &[&format!("x{i}"), "one"]);
    }
    net.result(0, &format!("x{length}"), DType::Int32);
    net
}

#[test]
fn a_chain_of_100_000_nodes_runs_without_recursion() {
    assert_eq!(chain(100_000).run_int(), 100_000);
}

#[test]
fn a_diamond_joins_both_ways() {
    let mut net = Net::new();
    net.constant("x", 3).node("l", "Add", &["x", "x"]).node("r", "Mul", &["x", "x"]).node("sum", "Add", &["l", "r"]);
    net.result(0, "sum", DType::Int32);
    assert_eq!(net.run_int(), 15);
}

#[test]
fn nodes_may_be_listed_in_any_order() {
    let mut net = Net::new();
    net.result(0, "b", DType::Int32).node("b", "AddOne", &["a"]).node("a", "AddOne", &["x"]).constant("x", 1);
    assert_eq!(net.run_int(), 3);
}

#[test]
fn the_only_consumer_of_a_value_owns_it_and_of_several_nobody_does() {
    let mut net = Net::new();
    net.arg("x", 0).node("y", "AddOne", &["x"]).node("alone", "IsUnique", &["y"]).result(0, "alone", DType::Bool);
    net.arg("s", 1).node("t", "AddOne", &["s"]).node("shared", "IsUnique", &["t"]).result(1, "shared", DType::Bool);
    // Keeps the shared value until the end.
    net.node("w", "Wait", &["^shared"]).node("late", "Add", &["t", "w"]).result(2, "late", DType::Int32);
    let machine = net.machine();
    let done = machine.start(&machine.step(), vec![Tensor::scalar(1i32).into(), Tensor::scalar(2i32).into()]);
    gate(machine.resources()).open("w", 10);
    let results = done.recv().unwrap().unwrap();
    assert!(tensor(&results, 0).to_scalar::<bool>().unwrap());
    assert!(!tensor(&results, 1).to_scalar::<bool>().unwrap());
    assert_eq!(int(&results, 2), 13);
}

#[test]
fn an_argument_that_nobody_else_holds_is_changed_in_place() {
    let mut net = Net::new();
    net.arg("x", 0).node("a", "AddOne", &["x"]).node("b", "AddOne", &["a"]).result(0, "b", DType::Int32);
    let x = Tensor::scalar(5i32);
    let memory = x.bytes().unwrap().as_ptr();
    let results = net.machine().run(vec![x.into()]).unwrap();
    assert_eq!((int(&results, 0), tensor(&results, 0).bytes().unwrap().as_ptr()), (7, memory));
}

#[test]
fn consumers_of_one_value_do_not_see_each_others_changes() {
    let mut net = Net::new();
    net.arg("x", 0);
    for i in 0..20 {
        net.node(format!("y{i}"), "AddOne", &["x"]).result(i, &format!("y{i}"), DType::Int32);
    }
    let x = Tensor::scalar(1i32);
    let results = net.machine().run(vec![x.clone().into()]).unwrap();
    assert!((0..20).all(|i| int(&results, i) == 2));
    assert_eq!(x.to_scalar::<i32>().unwrap(), 1i32);
}

#[test]
fn control_edges_order_nodes() {
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).constant("one", 1).constant("two", 2);
    net.node("init", "Assign", &["v", "one"]).node("add", "AssignAdd", &["v", "two", "^init"]);
    net.node("read", "Identity", &["v", "^add"]).result(0, "read", DType::Int32);
    assert_eq!(net.run_int(), 3);
}

/// The chief of synchronous replicas depends on it: see `late_reads`.
#[test]
fn a_variable_that_is_sent_is_read_when_it_is_received() {
    for sent in ["v", "read"] {
        let mut net = Net::new();
        net.node("v", "VariableV2", &[]).constant("one", 1).constant("two", 2).node("init", "Assign", &["v", "one"]);
        net.node("read", "Identity", &["v", "^init"]);
        net.node("send", "_Send", &[sent, "^init"]).with("tensor_name", "v");
        net.node("update", "AssignAdd", &["v", "two", "^send"]);
        net.node("receive", "_Recv", &["^update"]).with("tensor_name", "v").result(0, "receive", DType::Int32);
        assert_eq!(net.run_int(), 3, "{sent}");
    }
}

#[test]
fn an_identity_of_a_variable_shows_what_it_holds_when_it_is_used() {
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).constant("one", 1).constant("two", 2).node("init", "Assign", &["v", "one"]);
    net.node("read", "Identity", &["init"]).node("again", "Identity", &["read"]);
    net.node("add", "AssignAdd", &["v", "two", "^again"]);
    net.node("use", "Mul", &["again", "two", "^add"]).result(0, "use", DType::Int32).result(1, "again", DType::Int32);
    let results = net.run().unwrap();
    assert_eq!(int(&results, 0), 6);
    assert!(matches!(results[1], Some(Value::Tensor(_))), "what leaves the step is a value");
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).node("read", "Identity", &["v"]);
    assert_eq!(net.run().err().unwrap().node(), Some("read"), "a variable without a value is found where it is read");
}

#[test]
fn a_reference_is_read_for_those_that_want_a_value() {
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).constant("one", 1).node("init", "Assign", &["v", "one"]);
    net.node("sum", "Add", &["init", "init"]).result(0, "sum", DType::Int32).result(1, "init", DType::Int32);
    let results = net.run().unwrap();
    assert_eq!((int(&results, 0), int(&results, 1)), (2, 1));
    assert!(matches!(results[1], Some(Value::Tensor(_))));
}

#[test]
fn a_variable_without_a_value_fails_those_that_need_one() {
    for (op, inputs) in [("AssignAdd", &["v", "one"]), ("Add", &["v", "one"])] {
        let mut net = Net::new();
        net.node("v", "VariableV2", &[]).constant("one", 1).node("use", op, inputs);
        let e = net.run().err().unwrap();
        assert_eq!(
            (e.code(), e.bare_message(), e.node()),
            (Code::FailedPrecondition, "Attempting to use uninitialized value v", Some("use"))
        );
    }
}

#[test]
fn variables_live_on_between_steps() {
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).constant("one", 1).node("add", "AssignAdd", &["v", "one"]).result(0, "add", DType::Int32);
    let machine = net.machine();
    let v = machine.resources().lookup_or_create("", "v", || Ok(ferroflow_graph::kernel::Variable::new("v", DType::Int32))).unwrap();
    v.set(Tensor::scalar(10i32));
    let results: Vec<i32> = (0..3).map(|_| int(&machine.run(vec![]).unwrap(), 0)).collect();
    assert_eq!(results, [11, 12, 13]);
}

#[test]
fn expensive_nodes_run_at_the_same_time() {
    let mut net = Net::new();
    net.constant("x", 7).node("a", "Heavy", &["x"]).node("b", "Heavy", &["x"]).node("c", "Heavy", &["x"]);
    net.node("ab", "Add", &["a", "b"]).node("abc", "Add", &["ab", "c"]).result(0, "abc", DType::Int32);
    let machine = net.machine_with(2).unwrap();
    machine.resources().create("", "meeting", Arc::new(Meeting(Barrier::new(3)))).unwrap();
    assert_eq!(int(&machine.run(vec![]).unwrap(), 0), 21);
}

#[test]
fn a_chain_stays_on_the_calling_thread_even_if_its_nodes_are_expensive() {
    let mut net = Net::new();
    net.constant("x", 7).node("a", "Heavy", &["x"]).node("b", "AtOnce", &["a"]).node("c", "Heavy", &["b"]);
    net.node("id", "ThreadId", &["^c"]).result(0, "id", DType::String);
    let id = tensor(&net.run().unwrap(), 0);
    assert_eq!(id.as_strings().unwrap()[0], format!("{:?}", std::thread::current().id()).into_bytes());
}

#[test]
fn kernels_that_end_at_once_do_not_nest() {
    let mut net = Net::new();
    net.constant("x0", 4);
    for i in 0..20_000 {
        net.node(format!("x{}", i + 1), "AtOnce", &[&format!("x{i}")]);
    }
    net.result(0, "x20000", DType::Int32);
    assert_eq!(net.run_int(), 4);
}

#[test]
fn many_steps_run_at_once_on_one_executor() {
    let mut net = Net::new();
    net.arg("x", 0).node("h", "Heavy", &["x"]).node("k", "Heavy", &["x"]).node("y", "Add", &["h", "k"]).result(0, "y", DType::Int32);
    let machine = net.machine();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let machine = &machine;
            scope.spawn(move || {
                for i in 0..200 {
                    let x = thread * 1000 + i;
                    assert_eq!(int(&machine.run(vec![Tensor::scalar(x).into()]).unwrap(), 0), 2 * x);
                }
            });
        }
    });
}

#[test]
fn missing_and_mistyped_arguments_are_refused() {
    let mut net = Net::new();
    net.arg("x", 0).result(0, "x", DType::Int32);
    let machine = net.machine();
    assert_eq!(machine.run(vec![]).err().unwrap().code(), Code::InvalidArgument);
    assert_eq!(machine.run(vec![Tensor::scalar(1f32).into()]).err().unwrap().code(), Code::InvalidArgument);
}
