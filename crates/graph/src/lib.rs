//! The language of ferroflow: graphs, op definitions, shape functions, gradients, and what kernels see.
//!
//! Floor 1. Nothing here runs a graph: kernels are declared in `ops`, placed and executed in `runtime`.

mod attr;
mod builder;
mod function;
pub mod gradient;
mod gradients;
pub mod graph_def;
pub mod kernel;
mod node;
pub mod op;
pub mod shape_inference;
#[cfg(test)]
mod test_ops;

pub use attr::{AttrMap, AttrValue, FuncAttr};
pub use builder::{
    CollectionItem, DeviceScope, Graph, IntoDeviceScope, Number, OpBuilder, OpToPlace, Operand, Operation, Output, keys, scalar_of,
};
pub use function::{FunctionBody, FunctionDef, FunctionLibrary, NodeDef, instantiate};
pub use gradient::{Grad, OutGrads};
pub use gradients::{GradientOptions, gradients, gradients_with};
pub use graph_def::{FromGraphDefOptions, ToGraphDefOptions, extend, from_graph_def, from_graph_def_with, to_graph_def};
pub use node::{Endpoint, Node, NodeGraph, NodeId, NodeInfo, Versions, parse_tensor_name};
pub use op::{Op, OpDef, OpRegistry, OpSpec};
