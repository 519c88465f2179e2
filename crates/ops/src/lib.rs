//! Every op: definition, shape function, gradient and kernels.
//!
//! Floor 2. One file per op, in TF's families: `src/<family>/<op_in_snake_case>.rs` with one `pub const OP: OpSpec`. The lists of
//! modules and `ALL` of each family are generated from the folders (`cargo run -p xtask -- ops`), and [`builders`] from all ops.
//! From the same constants come op definitions, kernels, shape functions and gradients; nothing registers itself.

pub mod array;
pub mod builders;
pub mod control;
pub mod data;
pub mod dataflow;
pub mod functional;
pub mod image;
pub mod io;
pub mod linalg;
pub mod list;
pub mod math;
mod names;
pub mod nn;
pub(crate) mod parallel;
pub(crate) mod prelude;
pub mod random;
pub mod sparse;
pub mod state;
pub mod string;
pub mod summary;
pub mod testing;
pub mod training;
pub mod transfer;
pub(crate) mod types;

pub use builders::*;
pub use names::snake_case;

use ferroflow_graph::{Graph, OpRegistry, OpSpec};
use std::sync::Arc;

/// The families, with the ops of each.
pub const FAMILIES: &[(&str, &[&OpSpec])] = &[
    ("array", array::ALL),
    ("control", control::ALL),
    ("data", data::ALL),
    ("dataflow", dataflow::ALL),
    ("functional", functional::ALL),
    ("image", image::ALL),
    ("io", io::ALL),
    ("linalg", linalg::ALL),
    ("list", list::ALL),
    ("math", math::ALL),
    ("nn", nn::ALL),
    ("random", random::ALL),
    ("sparse", sparse::ALL),
    ("state", state::ALL),
    ("string", string::ALL),
    ("summary", summary::ALL),
    ("training", training::ALL),
    ("transfer", transfer::ALL),
];

/// All ops.
pub fn specs() -> impl Iterator<Item = &'static OpSpec> {
    FAMILIES.iter().flat_map(|(_, ops)| ops.iter().copied())
}

/// A registry of all ops.
///
/// # Panics
/// If a definition is malformed; a test rules that out.
pub fn registry() -> Arc<OpRegistry> {
    match OpRegistry::new(specs()) {
        Ok(registry) => Arc::new(registry),
        Err(e) => panic!("the definitions of the ops are malformed: {e}"),
    }
}

/// An empty graph that may use all ops.
pub fn graph() -> Graph {
    Graph::with_registry(registry())
}
