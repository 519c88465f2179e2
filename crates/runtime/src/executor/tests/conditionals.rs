//! Switch and Merge, dead values, transfers of dead values.

use super::net::{Net, int};
use ferroflow_tensor::DType;

/// `pred ? x + 1 : x * x`, and which way it went.
fn cond(pred: bool) -> Net {
    let mut net = Net::new();
    net.bool("p", pred).constant("x", 5).node("s", "Switch", &["x", "p"]);
    net.node("then", "AddOne", &["s:1"]).node("else", "Mul", &["s:0", "s:0"]).node("m", "Merge", &["else", "then"]);
    net.node("c_then", "Count", &["^then"]).node("c_else", "Count", &["^else"]);
    net.result(0, "m", DType::Int32).result(1, "m:1", DType::Int32).result(2, "then", DType::Int32);
    net
}

#[test]
fn only_the_taken_branch_runs() {
    for (pred, value) in [(true, 6), (false, 25)] {
        let machine = cond(pred).machine();
        for _ in 0..2 {
            let results = machine.run(vec![]).unwrap();
            assert_eq!((int(&results, 0), int(&results, 1)), (value, pred as i32));
            assert_eq!(results[2].is_some(), pred, "a result in the other branch is dead");
        }
        assert_eq!((machine.count("c_then"), machine.count("c_else")), (2 * pred as usize, 2 * !pred as usize));
    }
}

#[test]
fn death_spreads_along_data_and_control_edges_until_a_merge_or_a_control_trigger() {
    let mut net = Net::new();
    net.bool("p", true).constant("x", 5).node("s", "Switch", &["x", "p"]).node("dead", "AddOne", &["s:0"]);
    net.constant("live", 1).node("after", "Add", &["live", "dead"]).node("by_control", "Count", &["^after"]);
    net.node("trigger", "ControlTrigger", &["^after"]).node("triggered", "Count", &["^trigger"]);
    net.node("m", "Merge", &["after", "live"]).node("dead_m", "Merge", &["after", "dead"]);
    net.result(0, "m", DType::Int32).result(1, "dead_m", DType::Int32);
    let machine = net.machine();
    let results = machine.run(vec![]).unwrap();
    assert_eq!((machine.count("by_control"), machine.count("triggered")), (0, 1));
    assert_eq!(int(&results, 0), 1);
    assert!(results[1].is_none());
}

#[test]
fn a_switch_passes_control_on_whichever_way_it_goes() {
    let mut net = Net::new();
    net.bool("p", true).constant("x", 5).node("s", "Switch", &["x", "p"]).node("c", "Count", &["^s"]);
    let machine = net.machine();
    machine.run(vec![]).unwrap();
    assert_eq!(machine.count("c"), 1);
}

#[test]
fn a_merge_waits_for_its_control_inputs_and_is_not_killed_by_them() {
    let mut net = Net::new();
    net.bool("p", true).constant("x", 5).node("s", "Switch", &["x", "p"]).node("dead", "AddOne", &["s:0"]);
    net.node("m", "Merge", &["x", "s:0", "^dead"]).result(0, "m", DType::Int32);
    assert_eq!(net.run_int(), 5);
}

#[test]
fn a_case_index_out_of_range_takes_the_last_branch() {
    for (index, branch) in [(0, 0), (1, 1), (2, 2), (7, 2), (-1, 2)] {
        let mut net = Net::new();
        net.constant("x", 5).constant("i", index).node("s", "_SwitchN", &["x", "i"]).with("num_outs", 3i64);
        net.node("m", "Merge", &["s:0", "s:1", "s:2"]).result(0, "m:1", DType::Int32);
        assert_eq!(net.run_int(), branch, "{index}");
    }
}

#[test]
fn references_pass_through_a_switch_without_being_read() {
    let mut net = Net::new();
    net.node("v", "VariableV2", &[]).bool("p", true).constant("one", 1);
    net.node("s", "RefSwitch", &["v", "p"]).node("init", "Assign", &["s:1", "one"]).result(0, "init", DType::Int32);
    assert_eq!(net.run_int(), 1);
}

#[test]
fn dead_values_are_sent_and_received_as_dead() {
    let mut net = Net::new();
    net.bool("p", true).constant("x", 5).node("s", "Switch", &["x", "p"]);
    for (branch, name) in [("s:0", "dead"), ("s:1", "live")] {
        net.node(format!("send_{name}"), "_Send", &[branch]).with("tensor_name", name);
        net.node(format!("recv_{name}"), "_Recv", &[]).with("tensor_name", name);
        net.node(format!("count_{name}"), "AddOne", &[&format!("recv_{name}")]);
    }
    net.result(0, "count_live", DType::Int32).result(1, "count_dead", DType::Int32);
    let results = net.run().unwrap();
    assert_eq!(int(&results, 0), 6);
    assert!(results[1].is_none());
}
