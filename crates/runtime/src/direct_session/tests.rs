//! Steps of a session in this process.

use super::*;
use crate::executor::tests::net::Net;
use crate::executor::tests::ops::gate;
use ferroflow_tensor::{Code, DType};

fn session(net: &Net) -> DirectSession {
    let session = DirectSession::new(net.registry.clone(), SessionOptions::default());
    session.extend(net.graph()).unwrap();
    session
}

fn scalar(v: i32) -> Tensor {
    Tensor::scalar(v)
}

#[test]
fn feeds_replace_tensors_and_fetches_return_them() {
    let mut net = Net::new();
    net.node("x", "Placeholder", &[]).node("y", "AddOne", &["x"]).node("z", "Mul", &["y", "y"]);
    let s = session(&net);
    let got = s.run(&[("x", scalar(2))], &["z", "y:0", "z:0", "x"], &[]).unwrap();
    let got: Vec<i32> = got.iter().map(|t| t.to_scalar().unwrap()).collect();
    assert_eq!(got, [9, 3, 9, 2]);
    assert_eq!(s.run(&[("y", scalar(5))], &["z"], &[]).unwrap()[0].to_scalar::<i32>().unwrap(), 25);
    assert_eq!(s.run(&[], &["z"], &[]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(s.run(&[("x", Tensor::scalar(1f32))], &["z"], &[]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(s.run(&[], &["nothing"], &[]).unwrap_err().code(), Code::NotFound);
}

#[test]
fn variables_live_as_long_as_the_session_and_graphs_may_grow() {
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).constant("one", 1).node("init", "Assign", &["v", "one"]);
    let s = session(&net);
    assert!(s.run(&[], &["v"], &[]).unwrap_err().message().contains("uninitialized value v"));
    s.run(&[], &[], &["init"]).unwrap();
    net.node("add", "AssignAdd", &["v", "one"]);
    s.extend(net.graph()).unwrap();
    for want in [2, 3] {
        assert_eq!(s.run(&[], &["add"], &[]).unwrap()[0].to_scalar::<i32>().unwrap(), want);
    }
    let mut other = Net::new();
    other.constant("v", 1);
    assert_eq!(s.extend(other.graph()).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn only_what_is_needed_runs() {
    let mut net = Net::new();
    net.node("bad", "Fail", &[]).with("message", "not needed").constant("x", 1);
    assert_eq!(session(&net).run(&[], &["x"], &[]).unwrap()[0].to_scalar::<i32>().unwrap(), 1);
}

#[test]
fn a_dead_fetch_is_an_error() {
    let mut net = Net::new();
    net.bool("p", true).constant("x", 1).node("s", "Switch", &["x", "p"]);
    let e = session(&net).run(&[], &["s:0"], &[]).unwrap_err();
    assert_eq!((e.code(), e.bare_message()), (Code::Internal, "Retval[0] does not have value"));
}

#[test]
fn closing_ends_steps_that_wait_and_refuses_later_ones() {
    let mut net = Net::new();
    net.node("w", "Wait", &[]).node("r", "_Recv", &[]).with("tensor_name", "never").with("T", DType::Int32);
    let s = session(&net);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| s.run(&[], &["w", "r"], &[]));
        gate(&s.device().resources).await_arrival("w");
        s.close();
        assert_eq!(waiting.join().unwrap().unwrap_err().code(), Code::Cancelled);
    });
    assert_eq!(s.run(&[], &["w"], &[]).unwrap_err().code(), Code::Cancelled);
}
