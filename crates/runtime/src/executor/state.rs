//! `StepState`: what changes while a step runs (TF: `PropagatorState`, `FrameState`). Whoever holds its box drives the step.

use super::RunDone;
use super::compiled::Compiled;
use super::frame_tree::frame_id;
use super::iteration::{Iteration, Tagged};
use super::job::{Completion, Job};
use ferroflow_graph::kernel::{Outputs, Value};
use ferroflow_tensor::Error;
use std::collections::VecDeque;

/// A loop that is under way, or the root.
#[derive(Default)]
pub(crate) struct FrameState {
    /// Which frame of the graph it is.
    pub(crate) def: u32,
    /// The frame and iteration that it lies in.
    pub(crate) parent: (u32, u64),
    /// Its id in rendezvous keys.
    pub(crate) id: u64,
    /// Number of the oldest iteration that is under way.
    pub(crate) base: u64,
    pub(crate) iterations: VecDeque<Iteration>,
    /// `Enter`s that have not run yet.
    pub(crate) enters_left: u32,
    /// Values of constant `Enter`s, for iterations to come; `None` is dead.
    pub(crate) constants: Vec<(u32, Option<Value>)>,
    /// `NextIteration`s whose iteration may not begin yet.
    pub(crate) waiting: Vec<(u32, Value)>,
    /// `Exit`s that have passed a value on.
    pub(crate) exited: Vec<u32>,
}

/// The state of a step.
pub(crate) struct StepState {
    /// The root first; ended ones are listed in `free_frames`.
    pub(crate) frames: Vec<FrameState>,
    pub(crate) free_frames: Vec<u32>,
    /// Iterations to be used again, per frame of the graph.
    pub(crate) spare: Vec<Vec<Iteration>>,
    /// Complete nodes; the last is run first.
    pub(crate) ready: Vec<Tagged>,
    /// An expensive node that this thread will run when no cheap one is left.
    pub(crate) in_hand: Option<Job>,
    /// Jobs that are under way or in hand.
    pub(crate) jobs: usize,
    /// Completions to be handled.
    pub(crate) mail: Vec<Completion>,
    pub(crate) error: Option<Error>,
    pub(crate) args: Vec<Option<Value>>,
    pub(crate) retvals: Vec<Option<Value>>,
    pub(crate) done: Option<RunDone>,
    /// Outputs of the node being run.
    pub(crate) outputs: Outputs,
}

impl StepState {
    pub(crate) fn new(graph: &Compiled) -> StepState {
        StepState {
            frames: Vec::new(),
            free_frames: Vec::new(),
            spare: graph.frames.iter().map(|_| Vec::new()).collect(),
            ready: Vec::new(),
            in_hand: None,
            jobs: 0,
            mail: Vec::new(),
            error: None,
            args: Vec::new(),
            retvals: Vec::new(),
            done: None,
            outputs: Outputs::new(),
        }
    }

    /// Makes it the state of a step that begins. What an earlier step left is the root frame at most.
    pub(crate) fn begin(&mut self, graph: &Compiled, args: Vec<Value>, done: RunDone) {
        if self.frames.is_empty() {
            self.frames.push(FrameState { iterations: VecDeque::from([Iteration::default()]), ..FrameState::default() });
        }
        let root = &mut self.frames[0].iterations[0];
        root.reset(&graph.frames[0]);
        root.outstanding = graph.roots.len() as u32;
        self.ready.clear();
        self.ready.extend(graph.roots.iter().map(|&node| Tagged { node, frame: 0, iter: 0 }));
        self.args.clear();
        self.args.extend(args.into_iter().map(Some));
        self.retvals.clear();
        self.retvals.resize(graph.num_retvals, None);
        self.done = Some(done);
    }

    /// Forgets everything but memory. Call it after a step without error.
    pub(crate) fn end(&mut self) {
        self.frames.truncate(1);
        self.free_frames.clear();
        self.args.clear();
        self.outputs.clear();
    }

    /// The iteration that a node runs in.
    pub(crate) fn iteration(&mut self, tag: Tagged) -> &mut Iteration {
        let frame = &mut self.frames[tag.frame as usize];
        &mut frame.iterations[(tag.iter - frame.base) as usize]
    }

    /// Hands a node's outputs (`self.outputs`) to its consumers in an iteration of a frame.
    pub(crate) fn deliver(&mut self, graph: &Compiled, node: u32, frame: u32, iter: u64, dead: bool) {
        let StepState { frames, outputs, ready, .. } = self;
        let state = &mut frames[frame as usize];
        let iteration = &mut state.iterations[(iter - state.base) as usize];
        iteration.deliver(graph, (frame, iter), &graph.items[node as usize], outputs, dead, ready);
    }

    /// The frame that an `Enter` leads into, made if it is the first to enter.
    pub(crate) fn child_frame(&mut self, graph: &Compiled, tag: Tagged, def: u32) -> u32 {
        if let Some(child) = self.iteration(tag).children.iter().find(|c| c.0 == def) {
            return child.1;
        }
        let shape = &graph.frames[def as usize];
        let mut first = self.spare[def as usize].pop().unwrap_or_default();
        first.reset(shape);
        let state = FrameState {
            def,
            parent: (tag.frame, tag.iter),
            id: frame_id(self.frames[tag.frame as usize].id, tag.iter as i64, shape.name_hash),
            iterations: VecDeque::from([first]),
            enters_left: shape.enters,
            ..FrameState::default()
        };
        let slot = match self.free_frames.pop() {
            Some(slot) => {
                self.frames[slot as usize] = state;
                slot
            }
            None => {
                self.frames.push(state);
                (self.frames.len() - 1) as u32
            }
        };
        self.iteration(tag).children.push((def, slot));
        slot
    }

    /// Begins the next iteration of a frame: constants come again, and what waited for it arrives.
    pub(crate) fn begin_iteration(&mut self, graph: &Compiled, frame: u32) {
        let StepState { frames, spare, ready, .. } = self;
        let state = &mut frames[frame as usize];
        let mut iteration = spare[state.def as usize].pop().unwrap_or_default();
        iteration.reset(&graph.frames[state.def as usize]);
        let iter = state.base + state.iterations.len() as u64;
        for (node, value) in &state.constants {
            let dead = value.is_none();
            iteration.deliver(graph, (frame, iter), &graph.items[*node as usize], &mut [value.clone()], dead, ready);
        }
        for (node, value) in state.waiting.drain(..) {
            iteration.deliver(graph, (frame, iter), &graph.items[node as usize], &mut [Some(value)], false, ready);
        }
        state.iterations.push_back(iteration);
    }

    /// Ends the iterations of a frame that are over, begins those that waited for room, and ends the frame with its last iteration.
    pub(crate) fn settle(&mut self, graph: &Compiled, mut frame: u32) {
        while frame != 0 {
            let parallel = graph.frames[self.frames[frame as usize].def as usize].parallel_iterations;
            loop {
                let state = &mut self.frames[frame as usize];
                if state.iterations.len() < parallel && !state.waiting.is_empty() {
                    self.begin_iteration(graph, frame);
                    continue;
                }
                let over = |i: &Iteration| i.outstanding == 0 && i.children.is_empty();
                if (state.base == 0 && state.enters_left > 0) || !state.iterations.front().is_some_and(over) {
                    break;
                }
                if let Some(iteration) = state.iterations.pop_front() {
                    state.base += 1;
                    self.spare[state.def as usize].push(iteration);
                }
            }
            let state = &mut self.frames[frame as usize];
            if !state.iterations.is_empty() {
                return;
            }
            let state = std::mem::take(state);
            let (parent, iter) = state.parent;
            self.free_frames.push(frame);
            self.outputs.clear();
            for &exit in graph.frames[state.def as usize].exits.iter().filter(|e| !state.exited.contains(e)) {
                self.deliver(graph, exit, parent, iter, true);
            }
            let around = self.iteration(Tagged { node: 0, frame: parent, iter });
            around.children.retain(|c| c.1 != frame);
            if around.outstanding > 0 || !around.children.is_empty() {
                return;
            }
            frame = parent;
        }
    }
}
