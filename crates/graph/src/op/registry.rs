//! `OpRegistry`: the ops that a process knows (TF: `OpRegistry` and the kernel registry in one).

use super::def::OpDef;
use super::spec::{Kernel, OpSpec, WORDS};
use crate::{AttrMap, FunctionDef};
use ferroflow_tensor::error::{invalid_argument, not_found};
use ferroflow_tensor::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// A registered op: its parsed definition beside its spec.
pub struct Op {
    /// The definition.
    pub def: OpDef,
    /// Shape function, gradient, kernels.
    pub spec: &'static OpSpec,
}

/// What all calls of functions by name share; the function's signature is the definition.
static FUNCTION_CALL: OpSpec = OpSpec { doc: "Calls the function of the graph's library that has the op's name.", ..WORDS };

impl Op {
    /// The op of nodes that call a function by its name.
    pub fn call_of(function: &FunctionDef) -> Op {
        Op { def: function.signature.clone(), spec: &FUNCTION_CALL }
    }

    /// Whether nodes of it are calls of the function of that name; such nodes have no kernel.
    pub fn is_function_call(&self) -> bool {
        std::ptr::eq(self.spec, &FUNCTION_CALL)
    }

    /// The kernel for a device type and a node's attributes.
    ///
    /// Errors: `InvalidArgument` `No OpKernel was registered to support Op '…' …`.
    pub fn kernel(&self, device_type: &str, attrs: &AttrMap) -> Result<&'static Kernel> {
        self.spec.kernels.iter().find(|k| k.device_type == device_type && k.serves(attrs)).ok_or_else(|| {
            let types: Vec<String> = attrs
                .iter()
                .filter_map(|(name, v)| match v {
                    crate::AttrValue::Type(t) if !name.starts_with('_') => Some(format!("{name}={t}")),
                    _ => None,
                })
                .collect();
            invalid_argument(format!(
                "No OpKernel was registered to support Op '{}' with these attrs: [{}] on device type {device_type}. Registered: {}",
                self.def.name,
                types.join(", "),
                if self.spec.kernels.is_empty() { "<no registered kernels>".to_owned() } else { self.kernel_list() }
            ))
        })
    }

    fn kernel_list(&self) -> String {
        let one = |k: &Kernel| {
            let types: Vec<String> = k
                .types
                .iter()
                .flatten()
                .map(|(name, types)| format!("{name} in [{}]", types.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ")))
                .collect();
            format!("device='{}'; {}", k.device_type, types.join("; "))
        };
        self.spec.kernels.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Ops by name. Travels in the environments of master and worker; nothing global refers to it.
pub struct OpRegistry {
    ops: HashMap<String, Arc<Op>>,
}

impl OpRegistry {
    /// A registry of these ops.
    ///
    /// Errors: `InvalidArgument` if a definition does not parse, `AlreadyExists` if two have one name.
    pub fn new(specs: impl IntoIterator<Item = &'static OpSpec>) -> Result<OpRegistry> {
        let mut ops = HashMap::new();
        for spec in specs {
            let def = OpDef::parse(spec.signature, spec.attrs, spec.flags)?;
            let name = def.name.clone();
            if ops.insert(name.clone(), Arc::new(Op { def, spec })).is_some() {
                return Err(Error::new(ferroflow_tensor::Code::AlreadyExists, format!("op {name} is defined twice")));
            }
        }
        Ok(OpRegistry { ops })
    }

    /// The op of this name.
    ///
    /// Errors: `NotFound` with TF's words, which clients match on.
    pub fn get(&self, name: &str) -> Result<&Arc<Op>> {
        self.ops.get(name).ok_or_else(|| {
            not_found(format!(
                "Op type not registered '{name}' in binary running on {}. Make sure the Op and Kernel are registered in the binary running in this process.",
                host_name()
            ))
        })
    }

    /// Whether there is an op of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.ops.contains_key(name)
    }

    /// All ops, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Op>> {
        self.ops.values()
    }
}

fn host_name() -> String {
    std::fs::read_to_string("/etc/hostname").map(|s| s.trim().to_owned()).unwrap_or_else(|_| "this host".to_owned())
}
