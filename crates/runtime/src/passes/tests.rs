//! Folding constants and merging equal nodes without changing what a step does.

use super::*;
use crate::test_graph::{TestGraph, inputs_of};
use ferroflow_tensor::{DType, Tensor};

/// Ops of the test registry are all marked as control flow; folding needs one that is not.
fn graph() -> TestGraph {
    TestGraph::with_function_ops(&["Const() -> (output: dtype)", "Plus(x: T, y: T) -> (z: T)", "Use(x: T) -> ()"])
}

fn sum(_: &std::sync::Arc<ferroflow_graph::NodeInfo>, inputs: &[Tensor]) -> Result<Tensor> {
    let total = inputs.iter().map(|t| t.to_scalar::<f32>()).sum::<Result<f32>>()?;
    Ok(Tensor::scalar(total))
}

fn names(graph: &NodeGraph) -> Vec<&str> {
    graph.nodes().iter().map(|n| &*n.info.name).collect()
}

#[test]
fn what_depends_on_constants_becomes_a_constant_of_the_same_name() {
    let mut g = graph();
    g.node("a", "Const", &[], "d").node("b", "Plus", &["a", "a"], "d").node("c", "Plus", &["b", "a"], "d").node("use", "Use", &["c"], "d");
    let folded = optimize(g.graph, PassOptions::default(), &g.registry, &sum).unwrap();
    assert_eq!(names(&folded), ["c", "use"]);
    assert_eq!(folded.node(NodeId(0)).info.attrs.tensor("value").unwrap().to_scalar::<f32>().unwrap(), 3.0);
}

#[test]
fn a_node_that_fails_now_is_left_for_the_step() {
    let mut g = graph();
    g.node("a", "Const", &[], "d").node("b", "Plus", &["a", "a"], "d").node("use", "Use", &["b"], "d");
    let fails = |_: &std::sync::Arc<ferroflow_graph::NodeInfo>, _: &[Tensor]| Err(ferroflow_tensor::error::invalid_argument("no"));
    let same = optimize(g.graph, PassOptions::default(), &g.registry, &fails).unwrap();
    assert_eq!(names(&same), ["a", "b", "use"]);
}

#[test]
fn a_constant_bound_by_a_control_edge_is_not_folded_away() {
    let mut g = graph();
    g.node("n", "Const", &[], "d").node("a", "Const", &["^n"], "d").node("b", "Plus", &["a", "a"], "d").node("use", "Use", &["b"], "d");
    let same = optimize(g.graph, PassOptions::default(), &g.registry, &sum).unwrap();
    assert_eq!(names(&same), ["n", "a", "b", "use"]);
}

#[test]
fn equal_nodes_on_one_device_become_one_and_roots_stay() {
    let mut g = graph();
    let only_merge = PassOptions { constant_folding: false, ..PassOptions::default() };
    g.node("a", "Const", &[], "d").node("a2", "Const", &[], "d").node("far", "Const", &[], "e");
    g.node("b", "Plus", &["a", "a"], "d").node("b2", "Plus", &["a2", "a2"], "d");
    g.node("use", "Use", &["b"], "d").node("use2", "Use", &["b2"], "d").node("use3", "Use", &["far"], "e");
    let merged = optimize(g.graph, only_merge, &g.registry, &sum).unwrap();
    assert_eq!(names(&merged), ["a", "far", "b", "use", "use2", "use3"]);
    assert_eq!(inputs_of(&merged, "use2"), ["b:0"]);
}

#[test]
fn reads_of_a_reference_are_not_merged() {
    let mut g = TestGraph::new();
    g.node("v", "VariableV2", &[], "d").node("r1", "Identity", &["v"], "d").node("r2", "Identity", &["v"], "d");
    g.node("s", "Add", &["r1", "r2"], "d");
    let same = optimize(g.graph, PassOptions::default(), &g.registry, &sum).unwrap();
    assert_eq!(same.len(), 4);
    assert_eq!(same.node(NodeId(1)).info.output_types[0].dtype, DType::Float);
}
