//! Equal nodes become one (TF: common subexpression elimination).

use ferroflow_graph::op::KernelFactory;
use ferroflow_graph::{AttrValue, Endpoint, NodeGraph, NodeId};
use std::collections::HashMap;

/// Constants with more bytes than this are not compared.
const LARGEST_BYTES: usize = 4096;

const MOST_ROUNDS: usize = 4;

/// Bends the consumers of equal nodes to the first of them. Roots stay. Returns whether anything changed.
pub(super) fn merge_equal_nodes(graph: &mut NodeGraph, roots: &[bool]) -> bool {
    let mut merged = vec![false; graph.len()];
    let mut changed = false;
    for _ in 0..MOST_ROUNDS {
        let mut first: HashMap<Vec<u8>, NodeId> = HashMap::new();
        let mut replacement: HashMap<NodeId, NodeId> = HashMap::new();
        for id in (0..graph.len() as u32).map(NodeId) {
            if roots[id.index()] || merged[id.index()] {
                continue;
            }
            let Some(key) = identity(graph, id) else { continue };
            match first.entry(key) {
                std::collections::hash_map::Entry::Vacant(e) => drop(e.insert(id)),
                std::collections::hash_map::Entry::Occupied(e) => {
                    replacement.insert(id, *e.get());
                    merged[id.index()] = true;
                }
            }
        }
        if replacement.is_empty() {
            break;
        }
        changed = true;
        for id in (0..graph.len() as u32).map(NodeId) {
            let node = graph.node_mut(id);
            for e in &mut node.inputs {
                if let Some(&to) = replacement.get(&e.node) {
                    *e = Endpoint { node: to, index: e.index };
                }
            }
            for c in &mut node.control_inputs {
                *c = replacement.get(c).copied().unwrap_or(*c);
            }
            node.control_inputs.sort();
            node.control_inputs.dedup();
        }
    }
    changed
}

/// Bytes that are equal for nodes that always compute the same; `None` for nodes that must stay what they are.
fn identity(graph: &NodeGraph, id: NodeId) -> Option<Vec<u8>> {
    let node = graph.node(id);
    let info = &node.info;
    let bound = info.op.def.is_stateful
        || info.op_name().starts_with('_')
        || info.op_name().starts_with("Placeholder")
        || info.output_types.iter().any(|t| t.is_ref)
        || node.inputs.iter().any(|e| graph.endpoint_type(*e).is_ref)
        || info.op.spec.kernels.iter().any(|k| matches!(k.factory, KernelFactory::ControlFlow | KernelFactory::Async(_)));
    if bound {
        return None;
    }
    let mut key = format!("{}\0{}\0", info.op_name(), node.assigned_device).into_bytes();
    for e in &node.inputs {
        key.extend_from_slice(&e.node.0.to_le_bytes());
        key.extend_from_slice(&e.index.to_le_bytes());
    }
    key.push(b'^');
    let mut control = node.control_inputs.clone();
    control.sort();
    control.iter().for_each(|c| key.extend_from_slice(&c.0.to_le_bytes()));
    for (name, value) in info.attrs.iter().filter(|(name, _)| !name.starts_with('_')) {
        key.extend_from_slice(name.as_bytes());
        key.push(b'=');
        match value {
            AttrValue::Tensor(t) => {
                let bytes = t.bytes().ok().filter(|b| b.len() <= LARGEST_BYTES)?;
                key.extend_from_slice(format!("{}{}", t.dtype(), t.shape()).as_bytes());
                key.extend_from_slice(bytes);
            }
            AttrValue::Tensors(_) => return None,
            // The text of an f32 is exact.
            other => key.extend_from_slice(format!("{other:?}").as_bytes()),
        }
        key.push(b';');
    }
    Some(key)
}
