//! What a graph under construction holds: its nodes, what is known of their shapes, and the scopes in force.

use super::scope::Scope;
use crate::node::{Endpoint, Node, NodeGraph, NodeId, NodeInfo};
use crate::op::OpRegistry;
use crate::shape_inference::{HandleData, ShapeContext};
use ferroflow_tensor::{Error, PartialShape, Result, Tensor};
use std::collections::HashMap;
use std::sync::Arc;

/// What is known of a node's outputs.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub(crate) shapes: Vec<PartialShape>,
    pub(crate) handles: Vec<HandleData>,
    /// The value of output 0, if it is constant and small.
    pub(crate) constant: Option<Tensor>,
    /// The shape that output 0 denotes as a vector of dimensions, as far as known.
    pub(crate) as_shape: Option<PartialShape>,
}

pub(crate) struct GraphState {
    pub(crate) registry: Arc<OpRegistry>,
    pub(crate) nodes: NodeGraph,
    pub(crate) known: Vec<Known>,
    pub(crate) scope: Scope,
    pub(crate) names: HashMap<String, usize>,
    /// TF's collections (`variables`, `trainable_variables`, …): names of outputs or operations.
    pub(crate) collections: HashMap<String, Vec<String>>,
    pub(crate) seed: Option<i64>,
    pub(crate) seeded_ops: i64,
    pub(crate) error: Option<Error>,
}

/// Constants with more elements than this are not looked at by shape functions.
const LARGEST_KNOWN: usize = 1024;

impl GraphState {
    pub(crate) fn new(registry: Arc<OpRegistry>) -> GraphState {
        GraphState {
            registry,
            nodes: NodeGraph::new(),
            known: Vec::new(),
            scope: Scope::default(),
            names: HashMap::new(),
            collections: HashMap::new(),
            seed: None,
            seeded_ops: 0,
            error: None,
        }
    }

    pub(crate) fn shape(&self, e: Endpoint) -> PartialShape {
        self.known.get(e.node.index()).and_then(|k| k.shapes.get(e.index as usize)).cloned().unwrap_or_default()
    }

    /// A name that no node or scope has yet: `name`, `name_1`, … (TF: `Graph.unique_name`; names differ by more than case).
    pub(crate) fn unique_name(&mut self, name: &str) -> String {
        let key = name.to_lowercase();
        let count = self.names.entry(key.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name.to_owned();
        }
        loop {
            let n = self.names.get(&key).copied().unwrap_or(1) - 1;
            let candidate = format!("{name}_{n}");
            self.names.entry(key.clone()).and_modify(|c| *c += 1);
            if let std::collections::hash_map::Entry::Vacant(e) = self.names.entry(candidate.to_lowercase()) {
                e.insert(1);
                return candidate;
            }
        }
    }

    /// Adds a node whose inputs exist, and infers its shapes.
    pub(crate) fn add(&mut self, node: Node) -> Result<NodeId> {
        self.nodes.validate_node(&node).map_err(|e| e.at_node(&node.info.name))?;
        let known = self.infer(&node)?;
        let id = self.nodes.add(node)?;
        self.known.push(known);
        Ok(id)
    }

    fn infer(&self, node: &Node) -> Result<Known> {
        let at = |e: &Endpoint| self.known.get(e.node.index());
        let shapes: Vec<PartialShape> = node.inputs.iter().map(|e| self.shape(*e)).collect();
        let constants: Vec<Option<Tensor>> =
            node.inputs.iter().map(|e| at(e).filter(|_| e.index == 0).and_then(|k| k.constant.clone())).collect();
        let as_shapes: Vec<Option<PartialShape>> =
            node.inputs.iter().map(|e| at(e).filter(|_| e.index == 0).and_then(|k| k.as_shape.clone())).collect();
        let handles: Vec<HandleData> =
            node.inputs.iter().map(|e| at(e).and_then(|k| k.handles.get(e.index as usize)).cloned().flatten()).collect();
        let (out_shapes, out_handles) = ShapeContext::new(&node.info, &shapes, &constants, &as_shapes, &handles).infer()?;
        Ok(Known {
            constant: constant_of(&node.info),
            as_shape: shape_denoted_by(&node.info, &shapes, &constants, &as_shapes),
            shapes: out_shapes,
            handles: out_handles,
        })
    }
}

fn constant_of(info: &NodeInfo) -> Option<Tensor> {
    if info.op_name() != "Const" {
        return None;
    }
    info.attrs.tensor("value").ok().filter(|t| t.num_elements() <= LARGEST_KNOWN).cloned()
}

/// Follows shapes that are computed by the graph itself: `Shape`, `Pack` of its parts, `StridedSlice` of one element is left to `Pack`.
fn shape_denoted_by(
    info: &NodeInfo,
    shapes: &[PartialShape],
    constants: &[Option<Tensor>],
    as_shapes: &[Option<PartialShape>],
) -> Option<PartialShape> {
    match info.op_name() {
        "Shape" => shapes.first().filter(|s| s.rank().is_some()).cloned(),
        "Identity" | "Cast" => as_shapes.first().cloned().flatten(),
        "Pack" => {
            let dims: Vec<Option<i64>> = constants.iter().map(|c| c.as_ref().and_then(|t| t.to_i64().ok()).filter(|&d| d >= 0)).collect();
            Some(PartialShape::new(&dims))
        }
        "ConcatV2" => {
            let mut dims = Vec::new();
            for (c, s) in constants.iter().zip(as_shapes).take(constants.len().saturating_sub(1)) {
                match (c, s) {
                    (Some(t), _) => dims.extend(t.to_i64s().ok()?.iter().map(|&d| (d >= 0).then_some(d))),
                    (None, Some(s)) => dims.extend_from_slice(s.dims()?),
                    _ => return None,
                }
            }
            Some(PartialShape::new(&dims))
        }
        _ => None,
    }
}
