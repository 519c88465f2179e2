//! Which loop frame each node runs in, and ids of frames (TF: `BuildControlFlowInfo`).

use ferroflow_graph::NodeGraph;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// A loop as the graph describes it; the first is the root, which is no loop.
pub(crate) struct FrameDef {
    /// The `frame_name` of its `Enter`s; empty for the root.
    pub(crate) name: String,
    /// The frame around it.
    pub(crate) parent: u32,
    /// How many iterations may be under way at once.
    pub(crate) parallel_iterations: usize,
}

/// What [`frame_tree`] finds.
pub(crate) struct FrameTree {
    pub(crate) frames: Vec<FrameDef>,
    /// Per node the frame that its inputs are in.
    pub(crate) frame_of: Vec<u32>,
    /// Per node the frame that its outputs are in: another one for `Enter` and `Exit`.
    pub(crate) output_frame: Vec<u32>,
}

pub(crate) fn is_enter(op: &str) -> bool {
    matches!(op, "Enter" | "RefEnter")
}

pub(crate) fn is_exit(op: &str) -> bool {
    matches!(op, "Exit" | "RefExit")
}

fn is_next_iteration(op: &str) -> bool {
    matches!(op, "NextIteration" | "RefNextIteration")
}

/// Finds the frames, walking from the nodes without inputs along all edges.
///
/// Errors: `InvalidArgument` for an `Exit` outside loops, a node with inputs of two frames, or an `Enter` without a frame name.
pub(crate) fn frame_tree(graph: &NodeGraph) -> Result<FrameTree> {
    const UNSEEN: u32 = u32::MAX;
    let n = graph.len();
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (id, node) in graph.iter() {
        let sources = node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied());
        sources.for_each(|from| successors[from.index()].push(id.0));
    }
    let mut tree = FrameTree {
        frames: vec![FrameDef { name: String::new(), parent: 0, parallel_iterations: 1 }],
        frame_of: vec![UNSEEN; n],
        output_frame: vec![0; n],
    };
    let mut open: Vec<u32> = Vec::new();
    for (id, node) in graph.iter() {
        if node.inputs.is_empty() && node.control_inputs.is_empty() {
            tree.frame_of[id.index()] = 0;
            open.push(id.0);
        }
    }
    while let Some(at) = open.pop() {
        let info = &graph.nodes()[at as usize].info;
        let frame = tree.frame_of[at as usize];
        let out = if is_enter(info.op_name()) {
            let name = info.attrs.str("frame_name").map_err(|e| e.at_node(&info.name))?;
            let parallel = info.attrs.int("parallel_iterations").unwrap_or(10).max(1) as usize;
            let known = tree.frames.iter().position(|f| f.parent == frame && f.name == name && !f.name.is_empty());
            let child = known.unwrap_or_else(|| {
                tree.frames.push(FrameDef { name: name.to_owned(), parent: frame, parallel_iterations: parallel });
                tree.frames.len() - 1
            });
            child as u32
        } else if is_exit(info.op_name()) {
            if frame == 0 {
                return Err(invalid_argument(format!("{} is in no loop that it could leave", info.op_name())).at_node(&info.name));
            }
            tree.frames[frame as usize].parent
        } else {
            frame
        };
        tree.output_frame[at as usize] = out;
        for &to in &successors[at as usize] {
            let known = &mut tree.frame_of[to as usize];
            if *known == UNSEEN {
                *known = out;
                open.push(to);
            } else if *known != out {
                let name = |f: u32| tree.frames[f as usize].name.clone();
                let (has, gets) = (name(tree.frame_of[to as usize]), name(out));
                let to = &graph.nodes()[to as usize].info;
                return Err(invalid_argument(format!(
                    "{{{{node {}}}}} has inputs from different frames. The input {{{{node {}}}}} is in frame '{gets}', others are in frame '{has}'.",
                    to.name, info.name
                )));
            }
        }
    }
    // Nodes of a cycle that nothing enters never run.
    for (frame, out) in tree.frame_of.iter_mut().zip(&mut tree.output_frame) {
        if *frame == UNSEEN {
            (*frame, *out) = (0, 0);
        }
    }
    Ok(tree)
}

/// Refuses cycles that no `NextIteration` closes.
///
/// Errors: `InvalidArgument` naming a node of the cycle.
pub(crate) fn refuse_cycles(graph: &NodeGraph) -> Result<()> {
    let n = graph.len();
    let mut waiting = vec![0u32; n];
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (id, node) in graph.iter() {
        for from in node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied()) {
            if !is_next_iteration(graph.node(from).info.op_name()) {
                waiting[id.index()] += 1;
                successors[from.index()].push(id.0);
            }
        }
    }
    let mut open: Vec<u32> = (0..n as u32).filter(|&i| waiting[i as usize] == 0).collect();
    let mut seen = 0;
    while let Some(at) = open.pop() {
        seen += 1;
        for &to in &successors[at as usize] {
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                open.push(to);
            }
        }
    }
    match waiting.iter().position(|&w| w > 0) {
        Some(i) if seen < n => Err(invalid_argument(format!("Graph is invalid, contains a cycle through {}", graph.nodes()[i].info.name))),
        _ => Ok(()),
    }
}

/// The id of a child frame as it appears in rendezvous keys of TF 2.x.
pub(crate) fn frame_id(parent_id: u64, parent_iter: i64, name_hash: u64) -> u64 {
    fn combine(a: u64, b: u64) -> u64 {
        a ^ b.wrapping_add(0x9e37_79b9_7f4a_7800).wrapping_add(a << 10).wrapping_add(a >> 4)
    }
    combine(parent_id, combine(parent_iter as u64, name_hash))
}

/// The hash of a frame's name that goes into its id: a 64-bit MurmurHash2 with TF's seed.
pub(crate) fn name_hash(name: &str) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    const SEED: u64 = 0x00DE_CAFC_AFFE;
    let mut h = SEED ^ (name.len() as u64).wrapping_mul(M);
    let (words, tail) = name.as_bytes().as_chunks::<8>();
    for word in words {
        let mut k = u64::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 47;
        h = (h ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    if !tail.is_empty() {
        for (i, &byte) in tail.iter().enumerate() {
            h ^= (byte as u64) << (8 * i);
        }
        h = h.wrapping_mul(M);
    }
    h = (h ^ (h >> 47)).wrapping_mul(M);
    h ^ (h >> 47)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_frames_are_those_that_tensorflow_sends() {
        assert_eq!(frame_id(0, 0, name_hash("wl/while_context")), 5189404682685958103);
    }
}
