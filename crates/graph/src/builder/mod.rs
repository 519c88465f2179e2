//! Graph building: `Graph`, `Operation`, `Output` (TF: `tf.Graph`, `tf.Operation`, `tf.Tensor`).
//!
//! Building does not return a `Result` per op: the graph keeps its first error, with the caller's source line, and
//! reports it when a session is made of it.

mod arithmetic;
mod collection;
mod import;
mod known;
mod number;
mod op_builder;
mod scope;
mod state;
#[cfg(test)]
mod tests;

pub use arithmetic::Operand;
pub use collection::{CollectionItem, keys};
pub use number::{Number, scalar_of};
pub use op_builder::OpBuilder;
pub use scope::{DeviceScope, IntoDeviceScope, OpToPlace};

use crate::node::{Endpoint, Node, NodeGraph, NodeId};
use crate::op::OpRegistry;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Element, Error, PartialShape, Result, Tensor};
use parking_lot::{Mutex, MutexGuard};
use state::GraphState;
use std::fmt;
use std::sync::Arc;

/// A dataflow graph under construction. Cloning shares it.
#[derive(Clone)]
pub struct Graph {
    state: Arc<Mutex<GraphState>>,
}

/// A node of a graph.
#[derive(Clone)]
pub struct Operation {
    graph: Graph,
    id: NodeId,
}

/// One result of an operation.
#[derive(Clone)]
pub struct Output {
    op: Operation,
    index: usize,
}

impl Graph {
    /// An empty graph over these ops.
    pub fn with_registry(registry: Arc<OpRegistry>) -> Graph {
        Graph { state: Arc::new(Mutex::new(GraphState::new(registry))) }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, GraphState> {
        self.state.lock()
    }

    /// The ops that it may use.
    pub fn registry(&self) -> Arc<OpRegistry> {
        self.state().registry.clone()
    }

    /// Starts a node of this op.
    #[track_caller]
    pub fn op(&self, op: &str) -> OpBuilder {
        OpBuilder::new(self, op)
    }

    /// A constant scalar.
    #[track_caller]
    pub fn constant<T: Element>(&self, value: T) -> Output {
        self.constant_tensor(Tensor::scalar(value))
    }

    /// A constant vector.
    #[track_caller]
    pub fn constant_vector<T: Element>(&self, values: &[T]) -> Output {
        match Tensor::vector(values) {
            Ok(t) => self.constant_tensor(t),
            Err(e) => {
                self.fail(e);
                self.constant(T::default())
            }
        }
    }

    /// A constant.
    #[track_caller]
    pub fn constant_tensor(&self, value: Tensor) -> Output {
        self.op("Const").attr("dtype", value.dtype()).attr("value", value).output()
    }

    /// A tensor to be fed.
    #[track_caller]
    pub fn placeholder(&self, dtype: DType, shape: PartialShape) -> Output {
        self.op("Placeholder").attr("dtype", dtype).attr("shape", shape).output()
    }

    /// The operation of this name.
    ///
    /// Errors: `NotFound`.
    pub fn operation(&self, name: &str) -> Result<Operation> {
        let found = self.state().nodes.find(name);
        match found {
            Some(id) => Ok(Operation { graph: self.clone(), id }),
            None => Err(ferroflow_tensor::error::not_found(format!("the graph has no operation '{name}'"))),
        }
    }

    /// The output that `name` or `name:index` denotes.
    ///
    /// Errors: `NotFound` or `InvalidArgument`.
    pub fn output(&self, name: &str) -> Result<Output> {
        let endpoint = self.state().nodes.endpoint(name)?;
        Ok(self.output_at(endpoint))
    }

    /// The output at an endpoint of [`Graph::snapshot`].
    pub fn output_at(&self, endpoint: Endpoint) -> Output {
        Output { op: Operation { graph: self.clone(), id: endpoint.node }, index: endpoint.index as usize }
    }

    /// The operation with this id.
    pub fn operation_at(&self, id: NodeId) -> Operation {
        Operation { graph: self.clone(), id }
    }

    /// How many nodes it has by now.
    pub fn len(&self) -> usize {
        self.state().nodes.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records an error, if it is the first.
    #[track_caller]
    pub fn fail(&self, error: Error) {
        let at = std::panic::Location::caller();
        self.state().error.get_or_insert_with(|| error.context(format!("{}:{}", at.file(), at.line())));
    }

    /// The first error of building.
    ///
    /// Errors: that error.
    pub fn check(&self) -> Result<()> {
        match &self.state().error {
            None => Ok(()),
            Some(e) => Err(e.clone()),
        }
    }

    /// The nodes so far.
    ///
    /// Errors: the first error of building.
    pub fn snapshot(&self) -> Result<NodeGraph> {
        self.check()?;
        Ok(self.state().nodes.clone())
    }

    /// Looks at the nodes without copying them. Do not build ops in `look`: the graph is locked.
    pub fn with_nodes<R>(&self, look: impl FnOnce(&NodeGraph) -> R) -> R {
        look(&self.state().nodes)
    }

    /// The seed that random ops without one of their own derive theirs from (TF: `tf.set_random_seed`).
    pub fn set_seed(&self, seed: i64) {
        self.state().seed = Some(seed);
    }

    /// The graph's seed.
    pub fn seed(&self) -> Option<i64> {
        self.state().seed
    }

    /// A name that no node or scope has yet, now taken: `name`, `name_1`, … inside the name scope in force.
    pub fn unique_name(&self, name: &str) -> String {
        let mut state = self.state();
        let full = format!("{}{name}", state.scope.name);
        state.unique_name(&full)
    }

    /// Whether both are the same graph.
    pub fn same(&self, other: &Graph) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }
}

impl Operation {
    /// Its graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Its id in the graph.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// A copy of the node with its edges.
    pub fn node(&self) -> Node {
        self.graph.state().nodes.node(self.id).clone()
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.graph.state().nodes.node(self.id).info.name.to_string()
    }

    /// The name of its op.
    pub fn op_name(&self) -> String {
        self.graph.state().nodes.node(self.id).info.op_name().to_owned()
    }

    /// The device that was asked for; empty if none.
    pub fn device(&self) -> String {
        self.graph.state().nodes.node(self.id).requested_device.to_string()
    }

    /// How many data inputs it has.
    pub fn num_inputs(&self) -> usize {
        self.graph.state().nodes.node(self.id).inputs.len()
    }

    /// Data input `i`.
    ///
    /// # Panics
    /// If there is no such input.
    pub fn input(&self, i: usize) -> Output {
        let endpoint = self.graph.state().nodes.node(self.id).inputs[i];
        self.graph.output_at(endpoint)
    }

    /// How many outputs it has.
    pub fn num_outputs(&self) -> usize {
        self.graph.state().nodes.node(self.id).info.output_types.len()
    }

    /// Output `i`. An index that it has not becomes the graph's error when it is used.
    pub fn output(&self, i: usize) -> Output {
        Output { op: self.clone(), index: i }
    }

    /// All outputs.
    pub fn outputs(&self) -> Vec<Output> {
        (0..self.num_outputs()).map(|i| self.output(i)).collect()
    }

    /// Replaces data input `i`; this is how loops are closed (TF: `_update_input`). What is known of the operation's own outputs is
    /// inferred again, what was inferred from them is not.
    ///
    /// Errors: `InvalidArgument` if there is no such input, or the other output is of another graph or type.
    pub fn update_input(&self, i: usize, input: &Output) -> Result<()> {
        if !self.graph.same(input.graph()) {
            return Err(invalid_argument(format!("input {input:?} of {} is of another graph", self.name())));
        }
        let mut state = self.graph.state();
        let mut node = state.nodes.node(self.id).clone();
        let name = node.info.name.clone();
        let place = node.inputs.get_mut(i).ok_or_else(|| invalid_argument(format!("node '{name}' has no input {i}")))?;
        *place = input.endpoint();
        state.nodes.validate_node(&node)?;
        let known = state.infer(&node)?;
        state.known[self.id.index()] = known;
        *state.nodes.node_mut(self.id) = node;
        Ok(())
    }

    /// Lets it run only after another operation.
    ///
    /// Errors: `InvalidArgument` if the other one is of another graph.
    pub fn add_control_input(&self, before: &Operation) -> Result<()> {
        if !self.graph.same(&before.graph) {
            return Err(invalid_argument(format!("control input {before:?} of {} is of another graph", self.name())));
        }
        let mut state = self.graph.state();
        let control = &mut state.nodes.node_mut(self.id).control_inputs;
        if let Err(at) = control.binary_search(&before.id) {
            control.insert(at, before.id);
        }
        Ok(())
    }

    /// Looks at its attributes.
    pub fn with_attrs<R>(&self, look: impl FnOnce(&crate::AttrMap) -> R) -> R {
        let info = self.graph.state().nodes.node(self.id).info.clone();
        look(&info.attrs)
    }
}

impl Output {
    /// The operation that produces it.
    pub fn op(&self) -> &Operation {
        &self.op
    }

    /// Which output of its operation it is.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its graph.
    pub fn graph(&self) -> &Graph {
        &self.op.graph
    }

    /// Node and index.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint { node: self.op.id, index: self.index as u32 }
    }

    /// Its name, `node:index`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.op.name(), self.index)
    }

    /// The element type; of a reference, its base type.
    pub fn dtype(&self) -> DType {
        let state = self.graph().state();
        state.nodes.node(self.op.id).info.output_types.get(self.index).map_or(DType::Float, |t| t.dtype)
    }

    /// Whether it is a reference to a variable.
    pub fn is_ref(&self) -> bool {
        let state = self.graph().state();
        state.nodes.node(self.op.id).info.output_types.get(self.index).is_some_and(|t| t.is_ref)
    }

    /// What is known of its shape.
    pub fn shape(&self) -> PartialShape {
        self.graph().state().shape(self.endpoint())
    }
}

impl PartialEq for Operation {
    fn eq(&self, other: &Operation) -> bool {
        self.id == other.id && self.graph.same(&other.graph)
    }
}

impl PartialEq for Output {
    fn eq(&self, other: &Output) -> bool {
        self.index == other.index && self.op == other.op
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.op_name(), self.name())
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{}", self.name(), self.dtype(), self.shape())
    }
}

impl From<&Output> for Output {
    fn from(o: &Output) -> Output {
        o.clone()
    }
}
