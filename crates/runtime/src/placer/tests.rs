//! Where nodes are put, and what is said when they cannot be.

use super::*;
use crate::test_graph::TestGraph;
use ferroflow_graph::AttrValue;
use ferroflow_tensor::{Code, Error};

fn device(name: &str, is_local: bool) -> PlacerDevice {
    PlacerDevice::new(DeviceSpec::parse(name).unwrap(), is_local)
}

fn cluster() -> Vec<PlacerDevice> {
    vec![
        device("/job:ps/replica:0/task:0/device:CPU:0", false),
        device("/job:worker/replica:0/task:1/device:CPU:0", false),
        device("/job:worker/replica:0/task:0/device:CPU:0", true),
    ]
}

fn with_gpu() -> Vec<PlacerDevice> {
    let mut devices = cluster();
    devices.push(device("/job:worker/replica:0/task:0/device:GPU:0", true));
    devices
}

/// Asks for devices as the client does, without assigning them.
fn unplaced(g: &mut TestGraph) {
    for id in (0..g.graph.len() as u32).map(NodeId) {
        g.graph.node_mut(id).assigned_device = "".into();
    }
}

fn place(g: &mut TestGraph, devices: Vec<PlacerDevice>, soft: bool) -> Result<(), Error> {
    unplaced(g);
    Placer::new(devices, soft).place(&mut g.graph, &mut Pins::new())
}

fn class(of: &str) -> [(&'static str, AttrValue); 1] {
    [("_class", AttrValue::from(vec![format!("loc:@{of}")]))]
}

const WORKER0: &str = "/job:worker/replica:0/task:0/device:CPU:0";
const PS0: &str = "/job:ps/replica:0/task:0/device:CPU:0";

#[test]
fn nodes_without_constraints_go_to_the_masters_own_task() {
    let mut g = TestGraph::new();
    g.node("a", "Const", &[], "").node("b", "Identity", &["a"], "");
    place(&mut g, cluster(), false).unwrap();
    assert_eq!(g.device_of("a"), WORKER0);
    assert_eq!(g.device_of("b"), WORKER0);
}

#[test]
fn accelerators_come_before_cpus_where_there_is_a_kernel() {
    let mut g = TestGraph::new();
    g.node("a", "Const", &[], "").node("b", "Both", &["a"], "").node("c", "Identity", &["b"], "");
    place(&mut g, with_gpu(), false).unwrap();
    assert!(g.device_of("b").ends_with("GPU:0"));
    assert_eq!(g.device_of("c"), WORKER0);
}

#[test]
fn a_generator_goes_to_its_consumers_and_a_shape_to_its_tensor() {
    let mut g = TestGraph::new();
    g.node("a", "Const", &[], "").node("b", "Identity", &["a"], "/job:ps").node("s", "Shape", &["b"], "");
    g.node("c", "Const", &[], "").node("d", "Identity", &["c"], "/job:ps").node("e", "Identity", &["c"], "");
    place(&mut g, cluster(), false).unwrap();
    assert_eq!(g.device_of("a"), PS0);
    assert_eq!(g.device_of("s"), PS0);
    assert_eq!(g.device_of("c"), WORKER0, "its consumers are apart");
}

#[test]
fn state_pulls_its_users_to_its_device() {
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], "/job:ps").node("one", "Const", &[], "");
    g.node("set", "Assign", &["v", "one"], "/job:worker/task:1").node("read", "Identity", &["v"], "");
    g.node("h", "VarHandleOp", &[], "/job:ps").node("r", "ReadVariableOp", &["h"], "/job:worker");
    place(&mut g, cluster(), false).unwrap();
    assert_eq!((g.device_of("set"), g.device_of("r"), g.device_of("one")), (PS0, PS0, PS0));
    assert_eq!(g.device_of("read"), WORKER0, "an op that reads the value is free");
}

#[test]
fn colocation_groups_share_a_device_and_conflicts_are_named() {
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], "/job:ps").node_with("x", "Const", &[], "", &class("v"));
    place(&mut g, cluster(), false).unwrap();
    assert_eq!(g.device_of("x"), PS0);
    let mut g = TestGraph::new();
    g.node("a", "Const", &[], "/job:ps").node_with("b", "Const", &[], "/job:worker", &class("a"));
    let text = place(&mut g, cluster(), false).unwrap_err().message();
    assert!(text.starts_with("Cannot colocate nodes {{colocation_node b}} and {{colocation_node a}}"), "{text}");
    assert!(text.contains("Cannot merge devices with incompatible jobs: '/job:ps' and '/job:worker'"), "{text}");
}

#[test]
fn state_pulls_before_classes_are_compared() {
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], "/job:ps").node("one", "Const", &[], "");
    g.node_with("set", "Assign", &["v", "one"], "/job:worker/task:1", &class("v"));
    place(&mut g, cluster(), false).unwrap();
    assert_eq!(g.device_of("set"), PS0, "its class does not conflict with what it no longer asks for");
    let mut g = TestGraph::new();
    g.node("h", "VarHandleOp", &[], "/job:ps").node("i", "VarHandleOp", &[], "/job:worker/task:1").node("x", "Const", &[], "");
    g.node_with("r", "ReadVariableOp", &["h"], "", &class("x")).node_with("s", "ReadVariableOp", &["i"], "", &class("x"));
    let text = place(&mut g, cluster(), false).unwrap_err().message();
    assert!(text.starts_with("Cannot colocate nodes {{colocation_node s}} and {{colocation_node x}}"), "{text}");
}

#[test]
fn soft_placement_leaves_nodes_apart_that_ask_for_different_tasks() {
    let mut g = TestGraph::new();
    g.node("a", "Const", &[], "/job:ps").node_with("b", "Identity", &["a"], "/job:worker/task:1", &class("a"));
    place(&mut g, cluster(), true).unwrap();
    assert_eq!((g.device_of("a"), g.device_of("b")), (PS0, "/job:worker/replica:0/task:1/device:CPU:0"));
}

#[test]
fn an_impossible_device_names_what_there_is_and_hints_at_an_unknown_job() {
    let mut g = TestGraph::new();
    g.node("baddev", "Const", &[], "/job:ps/task:7");
    let e = place(&mut g, cluster(), false).unwrap_err();
    assert_eq!(e.code(), Code::InvalidArgument);
    let want = "Cannot assign a device for operation baddev: {{node baddev}} was explicitly assigned to /job:ps/task:7 but available \
                devices are [ /job:worker/replica:0/task:0/device:CPU:0, /job:ps/replica:0/task:0/device:CPU:0, \
                /job:worker/replica:0/task:1/device:CPU:0 ]. Make sure the device specification refers to a valid device.";
    assert_eq!(e.message(), want);
    let mut g = TestGraph::new();
    g.node("x", "Const", &[], "/job:trainer/task:0");
    let text = place(&mut g, cluster(), false).unwrap_err().message();
    assert!(text.contains("knows no job 'trainer', only [ ps, worker ]"), "{text}");
}

#[test]
fn soft_placement_moves_the_whole_group_and_without_it_the_lacking_kernel_is_named() {
    let build = || {
        let mut g = TestGraph::new();
        g.node("a", "Const", &[], "").node("v", "Both", &["a"], "/device:GPU:0");
        g.node_with("apply", "Identity", &["v"], "", &class("v"));
        g
    };
    let mut g = build();
    place(&mut g, with_gpu(), true).unwrap();
    assert_eq!((g.device_of("v"), g.device_of("apply")), (WORKER0, WORKER0));
    let text = place(&mut build(), with_gpu(), false).unwrap_err().message();
    assert!(text.contains("no supported kernel for GPU devices is available"), "{text}");
    assert!(text.contains("apply (Identity) requested device: -, kernels for: [CPU]"), "{text}");
    assert!(text.contains("v (Both) requested device: /device:GPU:0, kernels for: [CPU, GPU]"), "{text}");
}

#[test]
fn an_op_without_any_kernel_fails_at_placement() {
    let mut g = TestGraph::new();
    g.node("py", "PyFunc", &[], "");
    let text = place(&mut g, cluster(), false).unwrap_err().message();
    assert!(text.starts_with("No OpKernel was registered to support Op 'PyFunc' used by {{node py}}"), "{text}");
}

#[test]
fn stateful_nodes_stay_where_they_were_when_the_graph_grows() {
    let mut pins = Pins::new();
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], "");
    unplaced(&mut g);
    let first = vec![device(PS0, false)];
    Placer::new(first, false).place(&mut g.graph, &mut pins).unwrap();
    g.node("one", "Const", &[], "").node("set", "Assign", &["v", "one"], "");
    unplaced(&mut g);
    Placer::new(cluster(), false).place(&mut g.graph, &mut pins).unwrap();
    assert_eq!((g.device_of("v"), g.device_of("set"), g.device_of("one")), (PS0, PS0, PS0));
}
