//! Errors, panics, cancellation.

use super::net::{Net, int};
use super::ops::gate;
use ferroflow_tensor::error::cancelled;
use ferroflow_tensor::{Code, DType};

#[test]
fn the_error_of_a_kernel_names_its_node_and_ends_the_step() {
    let mut net = Net::new();
    net.node("bad", "Fail", &[]).with("message", "no more").node("after", "Count", &["^bad"]);
    let machine = net.machine();
    let step = machine.step();
    let e = machine.start(&step, vec![]).recv().unwrap().err().unwrap();
    assert_eq!((e.code(), e.bare_message(), e.node()), (Code::OutOfRange, "no more", Some("bad")));
    assert_eq!(machine.count("after"), 0);
    assert!(step.cancellation.is_cancelled());
}

#[test]
fn a_failure_wakes_what_waits_and_is_the_result() {
    let mut net = Net::new();
    net.node("w", "Wait", &[]).node("r", "_Recv", &[]).with("tensor_name", "never");
    net.node("trigger", "Wait", &[]).node("bad", "Fail", &["^trigger"]).with("message", "root cause");
    net.result(0, "w", DType::Int32).result(1, "r", DType::Int32);
    let machine = net.machine();
    let done = machine.start(&machine.step(), vec![]);
    gate(machine.resources()).await_arrival("w");
    gate(machine.resources()).open("trigger", 1);
    let e = done.recv().unwrap().err().unwrap();
    assert_eq!((e.bare_message(), e.is_derived()), ("root cause", false));
}

#[test]
fn a_panic_in_a_kernel_is_an_internal_error_and_the_executor_lives_on() {
    let mut net = Net::new();
    net.arg("x", 0).node("y", "AddOne", &["x"]).result(0, "y", DType::Int32);
    let healthy = net.machine();
    for (op, words) in [("Panic", "the kernel's own words"), ("PanicsWaiting", "while waiting")] {
        let mut net = Net::new();
        net.node("bad", op, &[]);
        let machine = net.machine();
        for _ in 0..2 {
            let e = machine.run(vec![]).err().unwrap();
            assert_eq!((e.code(), e.node()), (Code::Internal, Some("bad")));
            assert!(e.bare_message().contains(words), "{e}");
        }
    }
    assert_eq!(int(&healthy.run(vec![ferroflow_tensor::Tensor::scalar(1i32).into()]).unwrap(), 0), 2);
}

#[test]
fn a_kernel_that_leaves_out_an_output_or_its_callback_is_an_internal_error() {
    for (op, words) in [("Forgetful", "Missing 0-th output"), ("Drops", "dropped its callback")] {
        let mut net = Net::new();
        net.node("bad", op, &[]).result(0, "bad", DType::Int32);
        let e = net.run().err().unwrap();
        assert_eq!((e.code(), e.node()), (Code::Internal, Some("bad")));
        assert!(e.bare_message().contains(words), "{e}");
    }
}

#[test]
fn an_endless_loop_ends_when_the_step_is_cancelled() {
    let mut net = Net::new();
    net.bool("yes", true).constant("zero", 0);
    net.enter("yes_in", "yes", "w").with("T", DType::Bool).with("is_constant", true).enter("i", "zero", "w");
    net.node("m", "Merge", &["i", "back"]).node("cond", "LoopCond", &["yes_in", "^m"]).node("s", "Switch", &["m", "cond"]);
    net.node("next", "AddOne", &["s:1"]).node("turns", "Count", &["^next"]).node("back", "NextIteration", &["next"]);
    net.node("exit", "Exit", &["s:0"]).result(0, "exit", DType::Int32);
    let machine = net.machine();
    let step = machine.step();
    std::thread::scope(|scope| {
        let canceller = step.clone();
        let machine = &machine;
        scope.spawn(move || {
            while machine.count("turns") < 100 {
                std::thread::yield_now();
            }
            canceller.cancellation.cancel(cancelled("enough"));
        });
        let e = machine.start(&step, vec![]).recv().unwrap().err().unwrap();
        assert_eq!((e.code(), e.bare_message()), (Code::Cancelled, "enough"));
    });
}

#[test]
fn a_cancelled_step_does_not_begin() {
    let mut net = Net::new();
    net.node("c", "Count", &[]);
    let machine = net.machine();
    let step = machine.step();
    step.cancellation.cancel(cancelled("before"));
    assert_eq!(machine.start(&step, vec![]).recv().unwrap().err().unwrap().code(), Code::Cancelled);
    assert_eq!(machine.count("c"), 0);
}

#[test]
fn steps_after_a_failed_one_run_from_the_start() {
    let mut net = Net::new();
    net.arg("x", 0).arg("y", 1).node("sum", "Add", &["x", "y"]).result(0, "sum", DType::Int32);
    let machine = net.machine();
    let one = || ferroflow_tensor::Tensor::scalar(1i32).into();
    assert!(machine.run(vec![one()]).is_err());
    assert_eq!(int(&machine.run(vec![one(), one()]).unwrap(), 0), 2);
}
