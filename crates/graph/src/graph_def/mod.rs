//! `GraphDef` in and out: what clients and masters send becomes a [`NodeGraph`](crate::NodeGraph), and back (TF: `ConvertGraphDefToGraph`,
//! `Graph::ToGraphDef`).
//!
//! This is the one place of the crate that knows proto types.

mod attr;
mod cycle;
mod export;
mod function;
mod import;
mod op;
#[cfg(test)]
mod tests;

pub use attr::{attr_from_proto, attr_to_proto};
pub use cycle::refuse_cycles;
pub use export::{ToGraphDefOptions, to_graph_def};
pub use function::{function_from_proto, function_to_proto, library_from_proto, library_to_proto};
pub use import::{FromGraphDefOptions, GRAPH_DEF_VERSION, check_versions, extend, from_graph_def, from_graph_def_with};
