//! What becomes of edges, control edges and loops that are cut.

use super::*;
use crate::test_graph::{TestGraph, inputs_of};
use ferroflow_graph::Node;
use ferroflow_tensor::DType;

const PS: &str = "/job:ps/replica:0/task:0/device:CPU:0";
const W: &str = "/job:worker/replica:0/task:0/device:CPU:0";
const PS_TASK: &str = "/job:ps/replica:0/task:0";
const W_TASK: &str = "/job:worker/replica:0/task:0";

fn cut(g: &TestGraph) -> Result<BTreeMap<Arc<str>, NodeGraph>> {
    let mut n = 0;
    partition(
        &g.graph,
        PartitionOptions {
            part_of: &task_of,
            incarnation: &|_| Ok(u64::MAX),
            new_name: &mut |name| {
                n += 1;
                format!("{name}_S{n}")
            },
            registry: &g.registry,
        },
    )
}

fn ops(graph: &NodeGraph) -> Vec<String> {
    graph.nodes().iter().map(|n| n.info.op_name().to_owned()).collect()
}

fn find<'a>(graph: &'a NodeGraph, op: &str) -> &'a Node {
    graph.nodes().iter().find(|n| n.info.op_name() == op).unwrap_or_else(|| panic!("no {op} in {:?}", ops(graph)))
}

#[test]
fn a_graph_of_one_part_stays_whole() {
    let mut g = TestGraph::new();
    g.node("a", "Const", &[], W).node("b", "Identity", &["a"], W);
    let pieces = cut(&g).unwrap();
    assert_eq!(pieces.len(), 1);
    assert_eq!(ops(&pieces[W_TASK]), ["Const", "Identity"]);
}

#[test]
fn consumers_in_one_part_share_a_receive() {
    let mut g = TestGraph::new();
    g.node("a", "Const", &[], PS).node("b", "Identity", &["a"], W).node("c", "Add", &["a", "b"], W);
    let pieces = cut(&g).unwrap();
    assert_eq!(ops(&pieces[PS_TASK]), ["Const", "_Send"]);
    assert_eq!(ops(&pieces[W_TASK]), ["Identity", "Add", "_Recv"]);
    let (send, recv) = (find(&pieces[PS_TASK], "_Send"), find(&pieces[W_TASK], "_Recv"));
    for attr in ["tensor_name", "send_device", "recv_device"] {
        assert_eq!(send.info.attrs.str(attr).unwrap(), recv.info.attrs.str(attr).unwrap());
    }
    assert_eq!(send.info.attrs.str("tensor_name").unwrap(), "edge_0_a");
    assert_eq!(send.info.attrs.int("send_device_incarnation").unwrap(), -1);
    assert_eq!(inputs_of(&pieces[W_TASK], "c"), [format!("{}:0", recv.info.name), "b:0".to_owned()]);
}

#[test]
fn a_control_edge_travels_as_an_empty_tensor() {
    let mut g = TestGraph::new();
    g.node("init", "NoOp", &[], PS).node("a", "NoOp", &["^init"], W).node("b", "NoOp", &["^init"], W);
    let pieces = cut(&g).unwrap();
    assert_eq!(ops(&pieces[PS_TASK]), ["NoOp", "Const", "_Send"]);
    assert_eq!(ops(&pieces[W_TASK]), ["NoOp", "NoOp", "_Recv", "Identity"]);
    let signal = find(&pieces[PS_TASK], "Const");
    assert_eq!(signal.info.attrs.tensor("value").unwrap().dims(), [0]);
    assert_eq!(inputs_of(&pieces[PS_TASK], &signal.info.name), ["^init"]);
    let identity = &find(&pieces[W_TASK], "Identity").info.name;
    assert_eq!(inputs_of(&pieces[W_TASK], "a"), [format!("^{identity}")]);
}

#[test]
fn control_edges_of_one_task_travel_together() {
    let mut g = TestGraph::new();
    g.node("p", "NoOp", &[], PS).node("q", "NoOp", &[], PS).node("here", "NoOp", &[], W);
    g.node("a", "NoOp", &["^p", "^here", "^q"], W).node("b", "NoOp", &["^q", "^p"], W).node("c", "NoOp", &["^q"], W);
    let pieces = cut(&g).unwrap();
    let ps = &pieces[PS_TASK];
    assert_eq!(ops(ps), ["NoOp", "NoOp", "Const", "_Send", "Const", "_Send"]);
    let signals: Vec<Vec<String>> =
        ps.nodes().iter().filter(|n| n.info.op_name() == "Const").map(|n| inputs_of(ps, &n.info.name)).collect();
    assert_eq!(signals, [vec!["^p", "^q"], vec!["^q"]]);
    let worker = &pieces[W_TASK];
    let told: Vec<&str> = worker.nodes().iter().filter(|n| n.info.op_name() == "Identity").map(|n| &*n.info.name).collect();
    assert_eq!(inputs_of(worker, "a"), ["^here".to_owned(), format!("^{}", told[0])]);
    assert_eq!(inputs_of(worker, "b"), [format!("^{}", told[0])]);
    assert_eq!(inputs_of(worker, "c"), [format!("^{}", told[1])]);
}

#[test]
fn a_cut_reference_is_sent_as_a_value_and_not_shared() {
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], PS).node("a", "Identity", &["v"], W).node("b", "Identity", &["v"], W);
    let pieces = cut(&g).unwrap();
    assert_eq!(ops(&pieces[PS_TASK]), ["VariableV2", "_Send", "_Send"]);
    assert_eq!(find(&pieces[PS_TASK], "_Send").info.attrs.dtype("T").unwrap(), DType::Float);
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], PS).node("one", "Const", &[], W).node("set", "Assign", &["v", "one"], W);
    assert!(cut(&g).err().unwrap().message().contains("Input 0 of node set was passed float"));
}

#[test]
fn resources_and_strings_travel_through_host_memory() {
    let mut g = TestGraph::new();
    g.node("h", "VarHandleOp", &[], PS).node("r", "ReadVariableOp", &["h"], W);
    let pieces = cut(&g).unwrap();
    find(&pieces[PS_TASK], "_HostSend");
    find(&pieces[W_TASK], "_HostRecv");
}

/// `while i < limit: i = i + one`, the addition on the other task.
fn remote_body() -> TestGraph {
    let mut g = TestGraph::new();
    let frame = [("frame_name", "loop".into()), ("parallel_iterations", 3i64.into())];
    g.node("zero", "Const", &[], W).node("limit", "Const", &[], W).node("one", "Const", &[], PS);
    g.node_with("enter", "Enter", &["zero"], W, &frame).node_with("elimit", "Enter", &["limit"], W, &frame);
    g.node_with("eone", "Enter", &["one"], W, &frame);
    g.node("merge", "Merge", &["enter", "?next"], W).node("less", "Less", &["merge", "elimit"], W);
    g.node("cond", "LoopCond", &["less"], W).node("switch", "Switch", &["merge", "cond"], W);
    g.node("add", "Add", &["switch:1", "eone"], PS).node("next", "NextIteration", &["add"], PS).connect("next", "merge");
    g.node("exit", "Exit", &["switch"], PS);
    g
}

#[test]
fn a_loop_across_tasks_gets_a_control_loop_that_starts_its_receives() {
    let pieces = cut(&remote_body()).unwrap();
    let ps = &pieces[PS_TASK];
    assert!(ps.find("eone").is_some(), "Enter moves to its consumer");
    assert!(pieces[W_TASK].find("next").is_some() && pieces[W_TASK].find("exit").is_some());
    let merge = find(ps, "Merge");
    assert!(merge.info.name.starts_with("_cloop"));
    let enter = ps.nodes().iter().find(|n| n.info.op_name() == "Enter" && n.info.name.starts_with("_cloop")).unwrap();
    assert_eq!(enter.info.attrs.str("frame_name").unwrap(), "loop");
    assert_eq!(enter.info.attrs.int("parallel_iterations").unwrap(), 3);
    for recv in ps.nodes().iter().filter(|n| n.info.op_name().ends_with("Recv")) {
        assert_eq!(inputs_of(ps, &recv.info.name), [format!("^{}", merge.info.name)]);
    }
    let switch = find(ps, "Switch");
    assert_eq!(ps.node(switch.inputs[1].node).info.op_name(), "_HostRecv", "the condition comes from the loop's owner");
    assert_eq!(inputs_of(ps, &merge.info.name).len(), 2);
}

#[test]
fn an_edge_that_jumps_out_of_a_loop_is_refused() {
    let mut g = remote_body();
    g.node("leak", "Identity", &["merge"], W);
    g.node("sum", "Add", &["leak", "zero"], PS);
    assert!(cut(&g).err().unwrap().message().contains("inputs from different frames"));
}

/// A reader on another task that comes after an update sees the update.
#[test]
fn a_reference_is_sent_after_what_its_reader_waits_for() {
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], PS).node("update", "NoOp", &[], PS).node("signal", "NoOp", &[], W);
    g.node("read", "Identity", &["v", "^update", "^signal"], W).node("now", "Identity", &["v"], W);
    let pieces = cut(&g).unwrap();
    let ps = &pieces[PS_TASK];
    let sends: Vec<&Node> =
        ps.nodes().iter().filter(|n| n.info.op_name() == "_Send" && ps.node(n.inputs[0].node).info.op_name() == "VariableV2").collect();
    assert_eq!(sends.len(), 2, "every reader has its own");
    let waits = |n: &Node| n.control_inputs.iter().map(|c| ps.node(*c).info.op_name().to_owned()).collect::<Vec<_>>();
    assert_eq!(waits(sends[0]), ["NoOp", "Identity"]);
    assert!(waits(sends[1]).is_empty());
}
