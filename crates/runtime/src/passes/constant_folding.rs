//! Constant folding: what depends on constants only is computed once, when the step is compiled (TF: `ConstantFolding`).

use ferroflow_graph::op::KernelFactory;
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_graph::{AttrMap, Node, NodeGraph, NodeId, NodeInfo, OpRegistry};
use ferroflow_tensor::{PartialShape, Result, Tensor};
use std::sync::Arc;

/// Computes the only output of a node from the values of its inputs.
pub type Evaluate<'a> = dyn Fn(&Arc<NodeInfo>, &[Tensor]) -> Result<Tensor> + 'a;

/// Larger results are not kept: the compiled step lives as long as its session.
const LARGEST_BYTES: usize = 1 << 20;

/// Clients write graphs nearly in topological order, so that few rounds find everything.
const MOST_ROUNDS: usize = 4;

/// Replaces nodes by constants of the same names. Returns whether there were any.
pub(super) fn fold(graph: &mut NodeGraph, registry: &OpRegistry, evaluate: &Evaluate) -> Result<bool> {
    let Ok(const_op) = registry.get("Const") else { return Ok(false) };
    let mut tried = vec![false; graph.len()];
    let mut changed = false;
    for _ in 0..MOST_ROUNDS {
        let mut round = false;
        for id in (0..graph.len() as u32).map(NodeId) {
            if tried[id.index()] {
                continue;
            }
            let Some(inputs) = constant_inputs(graph, id) else { continue };
            tried[id.index()] = true;
            let info = graph.node(id).info.clone();
            if is_too_large(&info, &inputs) {
                continue;
            }
            let Ok(value) = evaluate(&info, &inputs) else { continue };
            if value.num_bytes() > LARGEST_BYTES || info.output_types[0].dtype != value.dtype() {
                continue;
            }
            let mut attrs = AttrMap::new();
            attrs.insert("dtype", value.dtype());
            attrs.insert("value", value);
            let node = graph.node_mut(id);
            node.info = Arc::new(NodeInfo::new(info.name.clone(), const_op.clone(), attrs)?);
            node.inputs.clear();
            round = true;
        }
        changed |= round;
        if !round {
            break;
        }
    }
    Ok(changed)
}

/// Whether a node's result would not be kept, or cannot be had, as far as that is known before it is computed.
fn is_too_large(info: &NodeInfo, inputs: &[Tensor]) -> bool {
    let shapes: Vec<PartialShape> = inputs.iter().map(|t| t.shape().into()).collect();
    let constants: Vec<Option<Tensor>> = inputs.iter().cloned().map(Some).collect();
    let Ok((outputs, _)) = ShapeContext::new(info, &shapes, &constants, &[], &[]).infer() else { return true };
    let (Some(shape), Some(ty)) = (outputs.first(), info.output_types.first()) else { return true };
    shape.to_shape().is_some_and(|s| s.num_elements().saturating_mul(ty.dtype.size()) > LARGEST_BYTES)
}

/// The values of a node's inputs, if it can be computed now: stateless, one plain output, constants as inputs, bound to no frame.
fn constant_inputs(graph: &NodeGraph, id: NodeId) -> Option<Vec<Tensor>> {
    let node = graph.node(id);
    let foldable = !node.inputs.is_empty()
        && node.control_inputs.is_empty()
        && !node.info.op.def.is_stateful
        && matches!(&node.info.output_types[..], [t] if !t.is_ref && t.dtype.is_plain())
        && !node.info.op.spec.kernels.iter().any(|k| matches!(k.factory, KernelFactory::ControlFlow | KernelFactory::Async(_)));
    if !foldable {
        return None;
    }
    node.inputs.iter().map(|e| constant_value(graph.node(e.node))).collect()
}

fn constant_value(node: &Node) -> Option<Tensor> {
    let plain = node.info.op_name() == "Const" && node.control_inputs.is_empty();
    if plain { node.info.attrs.tensor("value").ok().cloned() } else { None }
}
