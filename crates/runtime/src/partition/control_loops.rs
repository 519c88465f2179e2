//! Loops that span parts of a graph (TF: `AddControlFlow`, `ControlLoop`).
//!
//! A receive has no inputs, so nothing would start it in every iteration. Each part that receives inside a frame therefore
//! gets a copy of the loop's skeleton with the real frame's name, driven by the real loop's condition:
//!
//! ```text
//! C = Const            E = Enter(C)          M = Merge(E, N)
//! SW = Switch(M, the frame's LoopCond)       N = NextIteration(SW:1)
//! ```
//!
//! `M` runs once per iteration; the part's receives have it as a control input. A nested loop's `E` takes the outer `M`.

use super::PartitionOptions;
use super::frames::{FrameId, Frames, ROOT};
use crate::rewrite_node::NodeMaker;
use ferroflow_graph::{AttrMap, Endpoint, NodeGraph, NodeId};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// For a frame and a part, the node that runs there once per iteration.
pub(super) type Triggers = HashMap<(FrameId, Arc<str>), NodeId>;

/// Adds the control loops that the cut edges need.
///
/// Errors: `InvalidArgument` for a loop without `LoopCond`.
pub(super) fn add(
    graph: &mut NodeGraph,
    frames: &mut Frames,
    parts: &HashMap<Arc<str>, Arc<str>>,
    options: &mut PartitionOptions,
) -> Result<Triggers> {
    let mut needed: Vec<(FrameId, Arc<str>, NodeId)> = Vec::new();
    for (id, node) in graph.iter() {
        let frame = frames.input_frame(graph, id);
        let part = &parts[&node.assigned_device];
        let mut sources = node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied());
        if frame != ROOT && sources.any(|from| parts[&graph.node(from).assigned_device] != *part) {
            needed.push((frame, part.clone(), id));
        }
        // A reference is sent after what its consumer waits for, which its own part may have to be told.
        for e in node.inputs.iter().filter(|e| frame != ROOT && graph.endpoint_type(**e).is_ref) {
            let sender = &parts[&graph.node(e.node).assigned_device];
            let elsewhere = |from: &NodeId| parts[&graph.node(*from).assigned_device] != *sender;
            if sender != part && node.control_inputs.iter().any(elsewhere) {
                needed.push((frame, sender.clone(), e.node));
            }
        }
    }
    let mut triggers = Triggers::new();
    for (frame, part, receiver) in needed {
        trigger(graph, frames, &mut triggers, frame, &part, receiver, options)?;
    }
    Ok(triggers)
}

/// The node that runs once per iteration of the frame in this part, made if needed beside `receiver`.
fn trigger(
    graph: &mut NodeGraph,
    frames: &mut Frames,
    triggers: &mut Triggers,
    frame: FrameId,
    part: &Arc<str>,
    receiver: NodeId,
    options: &mut PartitionOptions,
) -> Result<NodeId> {
    if let Some(&known) = triggers.get(&(frame, part.clone())) {
        return Ok(known);
    }
    let info = frames.frame(frame).clone();
    let Some(loop_cond) = info.loop_cond else {
        return Err(invalid_argument(format!("A cross-device loop must have a pivot predicate: frame '{}' has no LoopCond", info.name)));
    };
    let device = graph.node(receiver).assigned_device.clone();
    let base = graph.node(receiver).info.name.clone();
    let maker = NodeMaker { registry: options.registry };
    let start = if info.parent == ROOT {
        let constant = maker.dummy_constant((options.new_name)(&base), &device)?;
        push(graph, frames, constant, ROOT)?
    } else {
        trigger(graph, frames, triggers, info.parent, part, receiver, options)?
    };
    let mut name = || format!("_cloop{}", (options.new_name)(&base));
    let mut attrs = AttrMap::new();
    attrs.insert("T", DType::Float);
    attrs.insert("frame_name", info.name.as_str());
    attrs.insert("parallel_iterations", info.parallel_iterations);
    let enter = push(graph, frames, maker.node(name(), "Enter", attrs, vec![out(start, 0)], &device)?, frame)?;
    let mut attrs = AttrMap::new();
    attrs.insert("T", DType::Float);
    attrs.insert("N", 2i64);
    // Its second input, the next iteration, is made from it.
    let merge = push(graph, frames, maker.node(name(), "Merge", attrs, vec![out(enter, 0)], &device)?, frame)?;
    let switch = maker.typed(name(), "Switch", DType::Float, vec![out(merge, 0), out(loop_cond, 0)], &device)?;
    let switch = push(graph, frames, switch, frame)?;
    let next = maker.typed(name(), "NextIteration", DType::Float, vec![out(switch, 1)], &device)?;
    let next = push(graph, frames, next, frame)?;
    graph.node_mut(merge).inputs.push(out(next, 0));
    triggers.insert((frame, part.clone()), merge);
    Ok(merge)
}

fn out(node: NodeId, index: u32) -> Endpoint {
    Endpoint { node, index }
}

fn push(graph: &mut NodeGraph, frames: &mut Frames, node: ferroflow_graph::Node, frame: FrameId) -> Result<NodeId> {
    frames.push(frame);
    graph.add(node)
}
