//! What a graph under construction holds: its nodes, what is known of their shapes, and the scopes in force.

use super::known::{Inputs, Known};
use super::scope::Scope;
use crate::node::{Endpoint, Node, NodeGraph, NodeId, Versions};
use crate::op::OpRegistry;
use crate::shape_inference::{HandleData, ShapeContext};
use ferroflow_tensor::{Error, PartialShape, Result, Tensor};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub(crate) struct GraphState {
    pub(crate) registry: Arc<OpRegistry>,
    pub(crate) nodes: NodeGraph,
    pub(crate) known: Vec<Known>,
    pub(crate) scope: Scope,
    pub(crate) names: HashMap<String, usize>,
    /// TF's collections (`variables`, `trainable_variables`, …): names of outputs or operations.
    pub(crate) collections: BTreeMap<String, Vec<String>>,
    pub(crate) seed: Option<i64>,
    pub(crate) seeded_ops: i64,
    pub(crate) error: Option<Error>,
}

impl GraphState {
    pub(crate) fn new(registry: Arc<OpRegistry>) -> GraphState {
        GraphState {
            registry,
            nodes: NodeGraph::with_versions(Versions::current()),
            known: Vec::new(),
            scope: Scope::default(),
            names: HashMap::new(),
            collections: BTreeMap::new(),
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
        let base = name.to_lowercase();
        let used = self.names.get(&base).copied().unwrap_or(0);
        self.names.insert(base.clone(), used + 1);
        if used == 0 {
            return name.to_owned();
        }
        let mut n = used;
        let mut key = format!("{base}_{n}");
        while self.names.contains_key(&key) {
            n += 1;
            key = format!("{base}_{n}");
        }
        self.names.insert(key, 1);
        format!("{name}_{n}")
    }

    /// Adds a node whose inputs exist, and infers its shapes.
    pub(crate) fn add(&mut self, node: Node) -> Result<NodeId> {
        self.nodes.validate_node(&node).map_err(|e| e.at_node(&node.info.name))?;
        let known = self.infer(&node)?;
        let id = self.nodes.add(node)?;
        self.known.push(known);
        Ok(id)
    }

    pub(super) fn infer(&self, node: &Node) -> Result<Known> {
        let at = |e: &Endpoint| self.known.get(e.node.index());
        let shapes: Vec<PartialShape> = node.inputs.iter().map(|e| self.shape(*e)).collect();
        let constants: Vec<Option<Tensor>> =
            node.inputs.iter().map(|e| at(e).filter(|_| e.index == 0).and_then(|k| k.constant.clone())).collect();
        let as_shapes: Vec<Option<PartialShape>> =
            node.inputs.iter().map(|e| at(e).filter(|_| e.index == 0).and_then(|k| k.as_shape.clone())).collect();
        let handles: Vec<HandleData> =
            node.inputs.iter().map(|e| at(e).and_then(|k| k.handles.get(e.index as usize)).cloned().flatten()).collect();
        let (mut out_shapes, out_handles) = ShapeContext::new(&node.info, &shapes, &constants, &as_shapes, &handles).infer()?;
        let inputs = Inputs { info: &node.info, shapes: &shapes, constants: &constants, as_shapes: &as_shapes };
        let constant = inputs.constant();
        if let (Some(value), Some(shape)) = (&constant, out_shapes.first_mut())
            && shape.rank().is_none()
        {
            *shape = value.shape().into();
        }
        Ok(Known { constant, as_shape: inputs.shape(), shapes: out_shapes, handles: out_handles })
    }
}
