//! Calls of functions that exist only in the Python process which wrote the graph (TF: `script_ops`).
//!
//! Such a function has a number in that process and nothing more, so that no server can call it. The ops are known all the same: a graph
//! may contain them for a session in the client's own process, and only a step that needs one is refused, before any of its nodes runs.

use ferroflow_graph::kernel::KernelConstruction;
use ferroflow_tensor::Error;
use ferroflow_tensor::error::invalid_argument;

/// Why a node of these ops cannot run here.
pub(crate) fn needs_the_python_process(c: &KernelConstruction, instead: &str) -> Error {
    let (op, token) = (c.node.op_name(), c.node.attrs.str("token").unwrap_or(""));
    let callback = if token.is_empty() { String::new() } else { format!(" ('{token}')") };
    invalid_argument(format!(
        "{op} calls a function of the Python process that made the graph{callback}, which this server does not have: {instead}"
    ))
}
