//! `FunctionLibrary`: graphs that nodes call by name (TF: `FunctionDefLibrary`).

mod instantiate;

pub use instantiate::{FunctionBody, instantiate};

use crate::attr::{AttrMap, AttrValue, FuncAttr};
use crate::node::NodeGraph;
use crate::op::OpDef;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A node of a function's body. Inputs are `arg`, `node:out_name:k` or `^node`.
#[derive(Clone, Debug, Default)]
pub struct NodeDef {
    /// Its name, unique in the body.
    pub name: String,
    /// Its op, or the name of another function.
    pub op: String,
    /// Where its inputs come from, control inputs (`^node`) last.
    pub inputs: Vec<String>,
    /// Requested device.
    pub device: String,
    /// Attributes; may be placeholders for the function's own.
    pub attrs: AttrMap,
}

/// A function (TF: `FunctionDef`).
#[derive(Clone, Debug, Default)]
pub struct FunctionDef {
    /// Name, arguments, results and attributes.
    pub signature: OpDef,
    /// The body.
    pub nodes: Vec<NodeDef>,
    /// For each result the body's output that it is.
    pub ret: BTreeMap<String, String>,
    /// For each control output the node that must have run.
    pub control_ret: BTreeMap<String, String>,
    /// Names of the control outputs, in order.
    pub control_outputs: Vec<String>,
    /// Attributes of the function as a whole (`_noinline`, …).
    pub attrs: AttrMap,
    /// The message as it came, for passing the function on unchanged.
    pub encoded: bytes::Bytes,
}

/// Functions by name.
#[derive(Clone, Debug, Default)]
pub struct FunctionLibrary {
    functions: BTreeMap<String, Arc<FunctionDef>>,
    /// Function name to the name of the function that is its gradient.
    gradients: BTreeMap<String, String>,
}

impl FunctionLibrary {
    /// The function of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<FunctionDef>> {
        self.functions.get(name)
    }

    /// Adds a function.
    ///
    /// Errors: `InvalidArgument` if another one has its name.
    pub fn add(&mut self, function: Arc<FunctionDef>) -> Result<()> {
        let name = &function.signature.name;
        if let Some(old) = self.functions.get(name)
            && old.encoded != function.encoded
        {
            return Err(invalid_argument(format!(
                "Cannot add function '{name}' because a different function with the same name already exists."
            )));
        }
        self.functions.insert(name.clone(), function);
        Ok(())
    }

    /// Names the function that is the gradient of another.
    pub fn set_gradient(&mut self, function: impl Into<String>, gradient: impl Into<String>) {
        self.gradients.insert(function.into(), gradient.into());
    }

    /// The function that is the gradient of this one.
    pub fn gradient(&self, function: &str) -> Option<&str> {
        self.gradients.get(function).map(|s| s.as_str())
    }

    /// All functions, by ascending name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<FunctionDef>> {
        self.functions.values()
    }

    /// All (function, gradient) pairs.
    pub fn gradients(&self) -> impl Iterator<Item = (&str, &str)> {
        self.gradients.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The part of the library that the nodes of a graph can reach, through each other too.
    pub fn reachable_from(&self, graph: &NodeGraph) -> FunctionLibrary {
        let mut reached = FunctionLibrary::default();
        let mut names = Vec::new();
        for node in graph.nodes() {
            mentioned(node.info.op_name(), &node.info.attrs, &mut names);
        }
        while let Some(name) = names.pop() {
            let Some(f) = self.functions.get(&name).filter(|_| !reached.functions.contains_key(&name)) else { continue };
            for node in &f.nodes {
                mentioned(&node.op, &node.attrs, &mut names);
            }
            if let Some(gradient) = self.gradients.get(&name) {
                names.push(gradient.clone());
                reached.gradients.insert(name.clone(), gradient.clone());
            }
            reached.functions.insert(name, f.clone());
        }
        reached
    }

    /// The first chain of calls from this function on that ends where it has been before: `["f", "g", "f"]`. Such functions cannot be
    /// expanded into their callers.
    pub fn recursion(&self, function: &str) -> Option<Vec<String>> {
        let callees = |name: &str| {
            let mut names = Vec::new();
            for node in self.functions.get(name).iter().flat_map(|f| &f.nodes) {
                mentioned(&node.op, &node.attrs, &mut names);
            }
            names.retain(|n| self.functions.contains_key(n));
            names
        };
        // Depth first without recursion of our own: the chain and, for each of its functions, the callees still to visit.
        let mut chain = vec![function.to_owned()];
        let mut open = vec![callees(function)];
        let mut finished = std::collections::HashSet::new();
        while let Some(next) = open.last_mut() {
            match next.pop() {
                None => {
                    open.pop();
                    finished.extend(chain.pop());
                }
                Some(name) => {
                    if let Some(start) = chain.iter().position(|c| *c == name) {
                        chain.push(name);
                        return Some(chain.split_off(start));
                    }
                    if !finished.contains(&name) {
                        open.push(callees(&name));
                        chain.push(name);
                    }
                }
            }
        }
        None
    }

    /// Whether there is no function.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}

/// Collects the names that could be functions: the op's own and those in attributes.
fn mentioned(op: &str, attrs: &AttrMap, names: &mut Vec<String>) {
    fn in_func(f: &FuncAttr, names: &mut Vec<String>) {
        mentioned(&f.name, &f.attrs, names);
    }
    names.push(op.to_owned());
    for (_, value) in attrs.iter() {
        match value {
            AttrValue::Func(f) => in_func(f, names),
            AttrValue::Funcs(fs) => fs.iter().for_each(|f| in_func(f, names)),
            _ => {}
        }
    }
}
