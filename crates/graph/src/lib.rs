//! The language of ferroflow: graphs, op definitions, shape functions, gradients, and what kernels see.
//!
//! Floor 1. Nothing here runs a graph: kernels are declared in `ops`, placed and executed in `runtime`.

mod attr;
mod builder;
mod function;
pub mod gradient;
pub mod graph_def;
pub mod kernel;
mod node;
pub mod op;
pub mod shape_inference;

pub use attr::{AttrMap, AttrValue, FuncAttr};
pub use builder::{DeviceScope, Graph, IntoDeviceScope, OpBuilder, OpToPlace, Operation, Output};
pub use function::{FunctionBody, FunctionDef, FunctionLibrary, NodeDef, instantiate};
pub use gradient::{Grad, OutGrads};
pub use graph_def::{FromGraphDefOptions, ToGraphDefOptions, extend, from_graph_def, from_graph_def_with, to_graph_def};
pub use node::{Endpoint, Node, NodeGraph, NodeId, NodeInfo, Versions, parse_tensor_name};
pub use op::{Op, OpDef, OpRegistry, OpSpec};
