//! While loops: constants, nesting, limits on parallel iterations, loops that are not entered, loops cut in two.

use super::net::{Net, int};
use ferroflow_tensor::DType;

/// Adds `while i < n { i += 1; body }` over `vars` beside `i`; `body` adds the nodes that compute `<var>_next` from `<var>_in`.
fn while_loop(net: &mut Net, name: &str, start: &str, limit: &str, parallel: i64, vars: &[(&str, &str)], body: impl FnOnce(&mut Net)) {
    let n = |s: &str| format!("{name}/{s}");
    net.enter(&n("limit"), limit, name).with("is_constant", true).with("parallel_iterations", parallel);
    net.node(n("less"), "Less", &[&n("i_merge"), &n("limit")]).node(n("cond"), "LoopCond", &[&n("less")]);
    for (var, initial) in [("i", start)].iter().chain(vars) {
        let v = |s: &str| format!("{name}/{var}_{s}");
        net.enter(&v("enter"), initial, name).with("parallel_iterations", parallel);
        net.node(v("merge"), "Merge", &[&v("enter"), &v("back")]);
        net.node(v("switch"), "Switch", &[&v("merge"), &n("cond")]);
        net.node(v("in"), "Identity", &[&format!("{}:1", v("switch"))]);
        net.node(v("back"), "NextIteration", &[&v("next")]).node(v("exit"), "Exit", &[&format!("{}:0", v("switch"))]);
    }
    net.node(n("i_next"), "AddOne", &[&n("i_in")]);
    body(net);
}

fn power_of_two(n: i32, parallel: i64) -> Net {
    let mut net = Net::new();
    net.constant("zero", 0).constant("n", n).constant("x", 1);
    while_loop(&mut net, "w", "zero", "n", parallel, &[("x", "x")], |net| {
        net.node("w/x_next", "Add", &["w/x_in", "w/x_in"]).node("w/count", "Count", &["^w/x_in"]);
    });
    net.result(0, "w/x_exit", DType::Int32).result(1, "w/i_exit", DType::Int32);
    net
}

#[test]
fn a_loop_runs_its_body_until_the_condition_fails() {
    for parallel in [1, 2, 10] {
        for n in [0, 1, 2, 11] {
            let machine = power_of_two(n, parallel).machine();
            for _ in 0..3 {
                let results = machine.run(vec![]).unwrap();
                assert_eq!((int(&results, 0), int(&results, 1)), (1 << n, n));
            }
            assert_eq!(machine.count("w/count"), 3 * n as usize);
        }
    }
}

#[test]
fn a_long_loop_uses_again_what_its_iterations_used() {
    let mut net = Net::new();
    net.constant("zero", 0).constant("n", 100_000);
    while_loop(&mut net, "w", "zero", "n", 10, &[], |_| ());
    net.result(0, "w/i_exit", DType::Int32);
    assert_eq!(net.run_int(), 100_000);
}

fn nested(outer: i32, inner: i32) -> Net {
    let mut net = Net::new();
    net.constant("zero", 0).constant("n", outer).constant("m", inner).constant("sum", 0);
    while_loop(&mut net, "o", "zero", "n", 10, &[("sum", "sum")], |net| {
        net.enter("o/m", "m", "o").with("is_constant", true).enter("o/zero", "zero", "o").with("is_constant", true);
        while_loop(net, "p", "o/zero", "o/m", 10, &[("sum", "o/sum_in")], |net| {
            net.node("p/sum_next", "Add", &["p/sum_in", "p/i_next"]).node("inner", "Count", &["^p/sum_in"]);
        });
        net.node("o/sum_next", "Identity", &["p/sum_exit"]);
    });
    net.result(0, "o/sum_exit", DType::Int32);
    net
}

#[test]
fn loops_nest() {
    for (outer, inner) in [(0, 3), (1, 0), (3, 4), (7, 2)] {
        let machine = nested(outer, inner).machine();
        for _ in 0..2 {
            let results = machine.run(vec![]).unwrap();
            assert_eq!(int(&results, 0), outer * inner * (inner + 1) / 2, "{outer} {inner}");
        }
        assert_eq!(machine.count("inner"), 2 * (outer * inner) as usize);
    }
}

#[test]
fn a_loop_in_a_branch_that_is_not_taken_is_dead_and_ends() {
    for taken in [true, false] {
        let mut net = Net::new();
        net.bool("p", taken).constant("zero", 0).constant("n", 4).node("s", "Switch", &["zero", "p"]).node("t", "Identity", &["s:1"]);
        net.node("t_n", "Identity", &["n", "^t"]);
        while_loop(&mut net, "w", "t", "t_n", 10, &[], |net| {
            net.node("body", "Count", &["^w/i_in"]);
        });
        net.node("m", "Merge", &["w/i_exit", "s:0"]).result(0, "m", DType::Int32).result(1, "m:1", DType::Int32);
        let machine = net.machine();
        let results = machine.run(vec![]).unwrap();
        assert_eq!((int(&results, 0), int(&results, 1)), if taken { (4, 0) } else { (0, 1) });
        assert_eq!(machine.count("body"), if taken { 4 } else { 0 });
    }
}

#[test]
fn a_conditional_inside_a_loop_takes_its_way_in_each_iteration() {
    let mut net = Net::new();
    net.constant("zero", 0).constant("n", 6).constant("three", 3).constant("x", 0).constant("hundred", 100);
    while_loop(&mut net, "w", "zero", "n", 10, &[("x", "x")], |net| {
        net.enter("w/three", "three", "w").with("is_constant", true).enter("w/hundred", "hundred", "w").with("is_constant", true);
        net.node("small", "Less", &["w/i_in", "w/three"]).node("sw", "Switch", &["w/x_in", "small"]);
        net.node("one_more", "AddOne", &["sw:1"]).node("hundred_more", "Add", &["sw:0", "w/hundred"]);
        net.node("w/x_next", "Merge", &["one_more", "hundred_more"]);
    });
    net.result(0, "w/x_exit", DType::Int32);
    assert_eq!(net.run_int(), 303);
}

#[test]
fn expensive_and_waiting_kernels_run_inside_loops() {
    let mut net = Net::new();
    net.constant("zero", 0).constant("n", 50).constant("x", 0);
    while_loop(&mut net, "w", "zero", "n", 4, &[("x", "x")], |net| {
        net.node("h", "Heavy", &["w/x_in"]).node("a", "AtOnce", &["w/i_in"]).node("k", "Heavy", &["a"]);
        net.node("w/x_next", "Add", &["h", "k"]);
    });
    net.result(0, "w/x_exit", DType::Int32);
    let machine = net.machine();
    for _ in 0..20 {
        assert_eq!(int(&machine.run(vec![]).unwrap(), 0), 49 * 50 / 2);
    }
}

#[test]
fn transfers_inside_a_loop_have_one_key_per_iteration() {
    let mut net = Net::new();
    net.constant("zero", 0).constant("n", 5).constant("x", 0);
    while_loop(&mut net, "w", "zero", "n", 10, &[("x", "x")], |net| {
        net.node("send", "_Send", &["w/i_in"]).with("tensor_name", "i");
        net.node("recv", "_Recv", &["^w/i_merge"]).with("tensor_name", "i");
        net.node("w/x_next", "Add", &["w/x_in", "recv"]);
    });
    net.result(0, "w/x_exit", DType::Int32);
    // In the last iteration `send` is dead: the dead value is received, and the sum of that iteration is dead too.
    assert_eq!(net.run_int(), 10);
}

#[test]
fn nodes_with_inputs_of_two_frames_are_refused() {
    let mut net = Net::new();
    net.constant("zero", 0).constant("n", 5);
    while_loop(&mut net, "w", "zero", "n", 10, &[], |_| ());
    net.node("bad", "Add", &["w/i_in", "zero"]);
    let e = net.machine_with(1).err().unwrap();
    assert!(e.bare_message().contains("inputs from different frames"), "{e}");
    let mut net = Net::new();
    net.constant("zero", 0).node("out", "Exit", &["zero"]);
    assert_eq!(net.machine_with(1).err().unwrap().node(), Some("out"));
}

#[test]
fn a_cycle_without_next_iteration_is_refused() {
    let mut net = Net::new();
    net.constant("one", 1).node("a", "Add", &["b", "one"]).node("b", "Add", &["a", "one"]);
    assert!(net.machine_with(1).err().unwrap().bare_message().contains("cycle"));
}
