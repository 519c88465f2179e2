//! `FunctionDef` and `FunctionDefLibrary` messages to and from [`FunctionDef`] and [`FunctionLibrary`].

use super::attr::{Budget, attrs_from_proto, attrs_to_proto};
use super::op::{op_def_from_proto, op_def_to_proto};
use crate::function::{FunctionDef, FunctionLibrary, NodeDef};
use ferroflow_proto as pb;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use pb::Message;
use std::sync::Arc;

/// Reads a function; its message is kept too, to be passed on unchanged.
///
/// Errors: `InvalidArgument` if it has no name or anything in it is malformed.
pub fn function_from_proto(p: &pb::FunctionDef) -> Result<FunctionDef> {
    read(p, &mut Budget::new())
}

fn read(p: &pb::FunctionDef, budget: &mut Budget) -> Result<FunctionDef> {
    let signature = p.signature.as_ref().filter(|s| !s.name.is_empty()).ok_or_else(|| invalid_argument("a function has no name"))?;
    let at = |e: ferroflow_tensor::Error| e.context(format_args!("function '{}'", signature.name));
    let nodes = p.node_def.iter().map(|n| {
        let attrs = attrs_from_proto(&n.attr, budget).map_err(|e| at(e.at_node(&n.name)))?;
        Ok(NodeDef { name: n.name.clone(), op: n.op.clone(), inputs: n.input.clone(), device: n.device.clone(), attrs })
    });
    let nodes = nodes.collect::<Result<_>>()?;
    Ok(FunctionDef {
        signature: op_def_from_proto(signature).map_err(at)?,
        nodes,
        ret: p.ret.clone(),
        control_ret: p.control_ret.clone(),
        control_outputs: signature.control_output.clone(),
        attrs: attrs_from_proto(&p.attr, budget).map_err(at)?,
        encoded: p.encode_to_vec().into(),
    })
}

/// The function as a message: the one that it came in, if it came in one.
///
/// Errors: `Internal` if the kept message is damaged; `InvalidArgument` for a constant that cannot leave the process.
pub fn function_to_proto(f: &FunctionDef) -> Result<pb::FunctionDef> {
    if !f.encoded.is_empty() {
        return pb::FunctionDef::decode(f.encoded.clone())
            .map_err(|e| ferroflow_tensor::error::internal(format!("the kept message of function '{}': {e}", f.signature.name)));
    }
    let mut signature = op_def_to_proto(&f.signature)?;
    signature.control_output = f.control_outputs.clone();
    let node = |n: &NodeDef| {
        Ok(pb::NodeDef {
            name: n.name.clone(),
            op: n.op.clone(),
            input: n.inputs.clone(),
            device: n.device.clone(),
            attr: attrs_to_proto(&n.attrs)?,
            ..Default::default()
        })
    };
    Ok(pb::FunctionDef {
        signature: Some(signature),
        node_def: f.nodes.iter().map(node).collect::<Result<_>>()?,
        ret: f.ret.clone(),
        control_ret: f.control_ret.clone(),
        attr: attrs_to_proto(&f.attrs)?,
        ..Default::default()
    })
}

/// Reads a library.
///
/// Errors: as [`function_from_proto`]; `InvalidArgument` if two different functions have one name.
pub fn library_from_proto(p: &pb::FunctionDefLibrary) -> Result<FunctionLibrary> {
    let mut library = FunctionLibrary::default();
    add_to_library(&mut library, p, &mut Budget::new())?;
    Ok(library)
}

pub(super) fn add_to_library(library: &mut FunctionLibrary, p: &pb::FunctionDefLibrary, budget: &mut Budget) -> Result<()> {
    for f in &p.function {
        library.add(Arc::new(read(f, budget)?))?;
    }
    for g in &p.gradient {
        library.set_gradient(g.function_name.clone(), g.gradient_func.clone());
    }
    Ok(())
}

/// The library as a message.
///
/// Errors: as [`function_to_proto`].
pub fn library_to_proto(l: &FunctionLibrary) -> Result<pb::FunctionDefLibrary> {
    let gradient = |(f, g): (&str, &str)| pb::GradientDef { function_name: f.to_owned(), gradient_func: g.to_owned() };
    Ok(pb::FunctionDefLibrary {
        function: l.iter().map(|f| function_to_proto(f)).collect::<Result<_>>()?,
        gradient: l.gradients().map(gradient).collect(),
        ..Default::default()
    })
}
