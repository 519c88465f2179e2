//! `Iteration`: inputs that have arrived at the nodes of one iteration of a frame (TF: `IterationState`, `PendingCounts`).
//!
//! Only the thread that drives the step touches it, so there are no atomics: a delivered input costs a subtraction.

use super::compiled::{Compiled, Frame, Item, Kind, Pending};
use ferroflow_graph::kernel::Value;

/// A node to run, in an iteration of a frame of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tagged {
    pub(crate) node: u32,
    /// Index among the step's frames; 0 is the root.
    pub(crate) frame: u32,
    pub(crate) iter: u64,
}

/// [`Pending::mark`] of a `Merge` that has its input: this bit and the input's number.
pub(crate) const CHOSEN: u32 = 1 << 31;
/// [`Pending::mark`] of a `Merge` that is dead. Before either, the mark counts dead inputs.
pub(crate) const DEAD: u32 = 1 << 30;

/// One iteration.
#[derive(Default)]
pub(crate) struct Iteration {
    pub(crate) pending: Vec<Pending>,
    slots: Vec<Option<Value>>,
    /// Nodes that are ready or running.
    pub(crate) outstanding: u32,
    /// Frames inside this iteration that have not ended: which frame of the graph, which of the step.
    pub(crate) children: Vec<(u32, u32)>,
}

impl Iteration {
    /// Makes it a fresh iteration of this frame, whatever it was before.
    pub(crate) fn reset(&mut self, frame: &Frame) {
        self.pending.clear();
        self.pending.extend_from_slice(&frame.pending);
        self.slots.clear();
        self.slots.resize(frame.slots, None);
        self.outstanding = 0;
        self.children.clear();
    }

    /// Takes an input out.
    pub(crate) fn take(&mut self, slot: usize) -> Option<Value> {
        self.slots[slot].take()
    }

    /// Drops what has arrived at a node.
    pub(crate) fn discard(&mut self, item: &Item) {
        self.slots[item.slots()].fill(None);
    }

    /// Where a node's inputs arrive.
    #[inline]
    pub(crate) fn inputs(&mut self, item: &Item) -> &mut [Option<Value>] {
        &mut self.slots[item.slots()]
    }

    /// Hands a node's outputs to its consumers here; those that are then complete are pushed to `ready`. An output that is `None`,
    /// or lies beyond the end of `outputs`, is dead; `dead` says whether control edges are.
    pub(crate) fn deliver(
        &mut self,
        graph: &Compiled,
        at: (u32, u64),
        from: &Item,
        outputs: &mut [Option<Value>],
        dead: bool,
        ready: &mut Vec<Tagged>,
    ) {
        for edge in graph.edges_of(from) {
            let to = &graph.items[edge.to as usize];
            let value = match outputs.get_mut(edge.output as usize) {
                Some(output) if edge.last => output.take(),
                Some(output) => output.clone(),
                None => None,
            };
            let slot = (to.first_slot + edge.input) as usize;
            let pending = &mut self.pending[to.local as usize];
            if to.kind == Kind::Merge {
                if pending.mark & (CHOSEN | DEAD) != 0 {
                    continue;
                }
                match value {
                    Some(value) => {
                        pending.mark = CHOSEN | edge.input;
                        self.slots[slot] = Some(value);
                    }
                    None => {
                        pending.mark += 1;
                        // A loop that is not entered has no back edge that could bring the other inputs.
                        if pending.mark != to.num_inputs && from.kind != Kind::Enter {
                            continue;
                        }
                        pending.mark = DEAD;
                    }
                }
            } else {
                match value {
                    Some(value) => self.slots[slot] = Some(value),
                    None => pending.mark = DEAD,
                }
            }
            pending.left -= 1;
            if pending.left == 0 {
                self.outstanding += 1;
                ready.push(Tagged { node: edge.to, frame: at.0, iter: at.1 });
            }
        }
        for &node in graph.controls_of(from) {
            let to = &graph.items[node as usize];
            let pending = &mut self.pending[to.local as usize];
            if dead && to.kind != Kind::Merge {
                pending.mark = DEAD;
            }
            pending.left -= 1;
            if pending.left == 0 {
                self.outstanding += 1;
                ready.push(Tagged { node, frame: at.0, iter: at.1 });
            }
        }
    }
}
