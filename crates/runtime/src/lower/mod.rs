//! Lowering: functional control flow and function calls become plain nodes before a step's graph is placed and cut
//! (TF: `LowerFunctionalOpsPass`, `InlineFunctionBody`).
//!
//! A kernel that runs a function runs all of it on one device. Clients write functions whose nodes name several tasks, so `If`,
//! `Case` and `While` that ask for it (`_lower_using_switch_merge`) turn into switches, merges and loop frames, and calls into the
//! nodes of the function's body, named `caller/node`. What remains is an ordinary graph, which is placed and cut like any other.
//!
//! A step is lowered after it is pruned: its feeds and fetches are nodes by then, so those that name an output of a lowered node need
//! nothing special.

mod branches;
mod call;
mod expansion;
mod gradient;
mod while_loop;

use expansion::{Context, Expansion};
use ferroflow_graph::{FuncAttr, FunctionLibrary, NodeGraph, NodeId, NodeInfo, OpRegistry};
use ferroflow_tensor::Result;
use std::sync::Arc;

/// What a node that is lowered stands for.
enum Construct {
    /// One function is run.
    Call(FuncAttr),
    /// The gradient of a function is computed.
    Gradient(FuncAttr),
    /// One of several functions, by a condition: for false, for true.
    If([FuncAttr; 2]),
    /// One of several functions, by a number.
    Case(Vec<FuncAttr>),
    /// A body, as long as a condition holds.
    While { cond: FuncAttr, body: FuncAttr },
}

impl Construct {
    /// What the node is, or `None` if it stays: an ordinary op, functional control flow that does not ask to be lowered, functions that
    /// forbid it (`_noinline`) or that the library does not have.
    fn of(info: &NodeInfo, library: &FunctionLibrary) -> Option<Construct> {
        let func = |attr: &str| info.attrs.func(attr).ok().cloned();
        let switched = || info.attrs.bool("_lower_using_switch_merge").unwrap_or(false);
        let construct = match info.op_name() {
            "PartitionedCall" | "StatefulPartitionedCall" => Construct::Call(func("f")?),
            "SymbolicGradient" => Construct::Gradient(func("f")?),
            "If" | "StatelessIf" if switched() => Construct::If([func("else_branch")?, func("then_branch")?]),
            "Case" | "StatelessCase" if switched() => Construct::Case(info.attrs.funcs("branches").ok()?.to_vec()),
            // A loop without variables has nothing to enter its frame with.
            "While" | "StatelessWhile" if switched() && !info.input_types.is_empty() => {
                Construct::While { cond: func("cond")?, body: func("body")? }
            }
            name if info.op.is_function_call() => Construct::Call(FuncAttr { name: name.to_owned(), attrs: info.attrs.clone() }),
            _ => return None,
        };
        let is_gradient = matches!(construct, Construct::Gradient(_));
        let may_be_inlined =
            |f: &FuncAttr| library.get(&f.name).is_some_and(|d| is_gradient || !d.attrs.bool("_noinline").unwrap_or(false));
        construct.functions().into_iter().all(may_be_inlined).then_some(construct)
    }

    fn functions(&self) -> Vec<&FuncAttr> {
        match self {
            Construct::Call(f) | Construct::Gradient(f) => vec![f],
            Construct::If(branches) => branches.iter().collect(),
            Construct::Case(branches) => branches.iter().collect(),
            Construct::While { cond, body } => vec![cond, body],
        }
    }
}

/// Whether a node of a graph with this library is replaced by what it stands for before it runs.
pub fn is_lowered(info: &NodeInfo, library: &FunctionLibrary) -> bool {
    !library.is_empty() && Construct::of(info, library).is_some()
}

/// Whether [`lower`] would change the graph.
pub fn needs_lowering(graph: &NodeGraph) -> bool {
    graph.nodes().iter().any(|n| is_lowered(&n.info, &graph.library))
}

/// Lowers a pruned graph. Its nodes keep their names, places and order; new ones have the device that was requested for what they
/// stand for and none assigned. No name that `whole`, the session's graph, has is given to a new node, so that nodes with state have
/// the same name in each step. Calls of functions that are being expanded already (recursion) stay.
///
/// Errors: `InvalidArgument` for a malformed function or a call that does not fit it; `ResourceExhausted` if too many nodes come out.
pub fn lower(graph: &NodeGraph, whole: &NodeGraph, registry: &Arc<OpRegistry>) -> Result<NodeGraph> {
    let mut has_consumer = vec![false; graph.len()];
    for node in graph.nodes() {
        let sources = node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied());
        sources.for_each(|from| has_consumer[from.index()] = true);
    }
    let mut expansion = Expansion::new(graph, whole, registry);
    let context = Context { gated: expansion::has_switches(graph), ..Context::default() };
    // What nothing consumes is what the graph is run for; effects happen whether or not anything consumes them.
    let mut required = Vec::new();
    for id in (0..graph.len() as u32).map(NodeId) {
        if let Some(effects) = expansion.expand(id, &context)? {
            required.extend(effects);
        }
        if !has_consumer[id.index()] {
            required.push(id);
        }
    }
    expansion.finish(required)
}

#[cfg(test)]
mod tests;
