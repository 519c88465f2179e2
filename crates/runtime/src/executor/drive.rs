//! Driving a step: running what is ready, until all is done or all that is left is under way elsewhere.

use super::compiled::{Compiled, Item, Kind, Refs};
use super::iteration::Tagged;
use super::job::{Completion, Job, check_outputs, compute};
use super::shared::Shared;
use super::state::StepState;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{Burst, FrameAndIter, Value, burst, write_now};
use ferroflow_graph::op::Cost;
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{Error, Result, Shape, Tensor};
use std::sync::Arc;
use std::time::Instant;

/// Kernels whose cost grows with their inputs are worth a thread from this many bytes on.
const EXPENSIVE_BYTES: usize = 32 << 10;
/// After so many nodes the driver looks for mail and for expensive nodes that others could run.
const NODES_PER_ROUND: u32 = 32;

/// Drives a step on this thread, as far as this thread is needed.
pub(crate) fn drive(shared: Arc<Shared>, mut state: Box<StepState>) {
    loop {
        let mut driver = Driver { shared: &shared, graph: &shared.executor.graph, state: &mut state, is_brief: false };
        driver.handle_mail();
        driver.run_ready();
        match state.in_hand.take() {
            // Nothing else is under way, so nobody needs the state while this thread is busy.
            Some(job) if state.jobs == 1 => {
                if let Some(completion) = job.run(&shared) {
                    state.mail.push(completion);
                }
            }
            Some(job) => match shared.park(state) {
                Some(mut with_mail) => {
                    with_mail.in_hand = Some(job);
                    state = with_mail;
                }
                None => match job.run(&shared).and_then(|completion| shared.complete(completion)) {
                    Some(next) => state = next,
                    None => return,
                },
            },
            None if state.jobs == 0 => return finish(shared, state),
            None => match shared.park(state) {
                Some(with_mail) => state = with_mail,
                None => return,
            },
        }
    }
}

/// Drives a step on a thread that has other things to do: runs a round of what is known to be quick, and leaves the rest to the pool.
pub(crate) fn drive_briefly(shared: Arc<Shared>, mut state: Box<StepState>) {
    let mut driver = Driver { shared: &shared, graph: &shared.executor.graph, state: &mut state, is_brief: true };
    driver.handle_mail();
    driver.round();
    if let Some(job) = driver.state.in_hand.take() {
        driver.spawn(job);
    }
    if !state.ready.is_empty() {
        Shared::drive_in_pool(shared, state);
    } else if state.jobs == 0 {
        finish(shared, state);
    } else if let Some(with_mail) = shared.park(state) {
        Shared::drive_in_pool(shared, with_mail);
    }
}

/// Tells the caller of the step.
fn finish(shared: Arc<Shared>, mut state: Box<StepState>) {
    let done = state.done.take();
    let result = match state.error.take() {
        Some(e) => Err(e),
        None => {
            let results = std::mem::take(&mut state.retvals);
            shared.executor.keep(state);
            Ok(results)
        }
    };
    drop(shared);
    if let Some(done) = done {
        done(result);
    }
}

pub(super) struct Driver<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) graph: &'a Compiled,
    pub(super) state: &'a mut StepState,
    /// Whether only what is quick may run on this thread.
    is_brief: bool,
}

impl Driver<'_> {
    fn handle_mail(&mut self) {
        if self.state.mail.is_empty() {
            return;
        }
        let mut mail = std::mem::take(&mut self.state.mail);
        for completion in mail.drain(..) {
            self.handle(completion);
        }
        self.state.mail = mail;
    }

    /// Runs cheap nodes until none is ready; expensive ones go to the pool, except the last, which stays in hand.
    fn run_ready(&mut self) {
        loop {
            burst(Burst::Computing, || self.round());
            if self.state.ready.is_empty() {
                return;
            }
            self.shared.fetch_mail(self.state);
            self.handle_mail();
            if let Some(job) = self.state.in_hand.take() {
                self.spawn(job);
            }
        }
    }

    /// Runs so many cheap nodes, as far as any are ready.
    fn round(&mut self) {
        if self.shared.step.cancellation.is_cancelled() && self.state.error.is_none() && !self.state.ready.is_empty() {
            let reason = self.shared.step.check_cancelled().err();
            self.fail(reason.unwrap_or_else(|| internal("a step was cancelled without a reason")).derived());
        }
        for _ in 0..NODES_PER_ROUND {
            let Some(tag) = self.state.ready.pop() else { return };
            if self.is_brief && !self.is_quick(tag) {
                self.state.ready.push(tag);
                return;
            }
            self.process(tag);
        }
    }

    /// Whether running this node does not keep the thread: its kernel costs nothing, goes to the pool, or has been quick before.
    fn is_quick(&self, tag: Tagged) -> bool {
        let item = &self.graph.items[tag.node as usize];
        match (item.kind, item.cost) {
            (Kind::Call, _) => false,
            (Kind::Kernel, Cost::BySize) => item.pace.is_quick(),
            _ => true,
        }
    }

    fn process(&mut self, tag: Tagged) {
        let item = &self.graph.items[tag.node as usize];
        let result = match item.kind {
            Kind::Kernel | Kind::Transfer | Kind::Call => self.process_kernel(tag, item),
            _ => self.process_control_flow(tag, item),
        };
        if let Err(e) = result {
            self.fail(e.at_node(&self.graph.infos[tag.node as usize].name));
        }
    }

    fn process_kernel(&mut self, tag: Tagged, item: &Item) -> Result<()> {
        let StepState { frames, outputs, .. } = &mut *self.state;
        let frame = &mut frames[tag.frame as usize];
        let frame_iter = FrameAndIter { frame_id: frame.id, iter_id: tag.iter as i64 };
        let iteration = &mut frame.iterations[(tag.iter - frame.base) as usize];
        let dead = iteration.pending[item.local as usize].mark != 0;
        if dead && item.kind != Kind::Transfer {
            iteration.discard(item);
            outputs.clear();
            self.propagate(tag, item, true);
            return Ok(());
        }
        let inputs = iteration.inputs(item);
        if dead {
            self.graph.stand_in(tag.node, inputs)?;
        }
        if item.refs != Refs::None {
            self.graph.read_references(tag.node, item, inputs)?;
        }
        let expensive = match item.cost {
            // Beginning to wait costs nothing, but for what is handed over: a queue may have to cut it up.
            Cost::Inline => self.is_brief && item.is_async && item.kind == Kind::Kernel && input_bytes(inputs) >= EXPENSIVE_BYTES,
            Cost::Heavy => true,
            Cost::BySize => input_bytes(inputs) >= EXPENSIVE_BYTES,
        };
        // Not known to be short: what was put off must not wait for it.
        let is_timed = !expensive && item.cost == Cost::BySize && (!item.pace.is_quick() || self.is_brief);
        if is_timed || item.kind == Kind::Call {
            write_now();
        }
        match &item.kernel {
            Some(kernel) if !expensive && !item.is_async => {
                let start = self.shared.collector.as_ref().map(|_| Instant::now());
                let timed = is_timed.then(Instant::now);
                compute(item, kernel, &self.shared.step, frame_iter, dead, inputs, outputs)?;
                if let Some(timed) = timed {
                    item.pace.note(timed.elapsed());
                }
                for input in inputs {
                    *input = None;
                }
                if let Some(start) = start {
                    self.shared.record(tag.node, start, outputs);
                }
                check_outputs(self.graph, tag.node, item, &self.state.outputs)?;
                self.propagate(tag, item, dead);
            }
            _ => {
                if let Some(i) = inputs.iter().position(Option::is_none) {
                    return Err(internal(format!("input {i} has not arrived")));
                }
                let inputs = inputs.iter_mut().map(Option::take).collect();
                let job = Job { tag, frame_iter, inputs, dead };
                self.state.jobs += 1;
                if expensive {
                    if let Some(other) = self.state.in_hand.replace(job) {
                        self.spawn(other);
                    }
                } else if let Some(completion) = job.run(self.shared) {
                    self.handle(completion);
                }
            }
        }
        Ok(())
    }

    fn info(&self, tag: Tagged) -> &Arc<NodeInfo> {
        &self.graph.infos[tag.node as usize]
    }

    fn spawn(&mut self, job: Job) {
        let shared = self.shared.clone();
        self.shared.executor.pool.spawn(Box::new(move || {
            if let Some(state) = job.run(&shared).and_then(|completion| shared.complete(completion)) {
                drive(shared, state);
            }
        }));
    }

    /// Goes on from the end of a job.
    fn handle(&mut self, completion: Completion) {
        self.state.jobs -= 1;
        if self.state.error.is_some() {
            return;
        }
        let Completion { tag, dead, result } = completion;
        let item = &self.graph.items[tag.node as usize];
        let checked = result.and_then(|outputs| check_outputs(self.graph, tag.node, item, &outputs).map(|()| outputs));
        match checked {
            Ok(outputs) => {
                self.state.outputs = outputs;
                self.propagate(tag, item, dead);
            }
            Err(e) => self.fail(e.at_node(&self.info(tag).name.clone())),
        }
    }

    /// Hands `state.outputs` on and counts the node as done. Nodes that leave their iteration are in `control_flow`.
    pub(super) fn propagate(&mut self, tag: Tagged, item: &Item, dead: bool) {
        debug_assert!(!matches!(item.kind, Kind::Enter | Kind::Exit | Kind::NextIteration));
        let StepState { frames, outputs, ready, .. } = &mut *self.state;
        let frame = &mut frames[tag.frame as usize];
        let iteration = &mut frame.iterations[(tag.iter - frame.base) as usize];
        iteration.deliver(self.graph, (tag.frame, tag.iter), item, outputs, dead, ready);
        outputs.clear();
        iteration.outstanding -= 1;
        if iteration.outstanding == 0 && tag.frame != 0 {
            self.state.settle(self.graph, tag.frame);
        }
    }

    /// Counts a node of a loop as done.
    pub(super) fn node_done(&mut self, tag: Tagged) {
        let iteration = self.state.iteration(tag);
        iteration.outstanding -= 1;
        if iteration.outstanding == 0 && tag.frame != 0 {
            self.state.settle(self.graph, tag.frame);
        }
    }

    /// Ends the step with this error, if it is the first: nothing more is begun, and whatever waits is woken.
    pub(super) fn fail(&mut self, error: Error) {
        self.state.ready.clear();
        if self.state.in_hand.take().is_some() {
            self.state.jobs -= 1;
        }
        if self.state.error.is_none() {
            self.state.error = Some(error.clone());
            self.shared.step.cancellation.cancel(error.clone());
            self.shared.step.rendezvous.abort(error.derived());
        }
    }
}

fn input_bytes(inputs: &[Option<Value>]) -> usize {
    inputs
        .iter()
        .map(|v| match v {
            Some(Value::Tensor(t)) => t.num_bytes(),
            // While somebody changes it, nobody knows; it is then seldom small.
            Some(Value::Ref(v)) => v.num_bytes_now().unwrap_or(EXPENSIVE_BYTES),
            None => 0,
        })
        .sum()
}

impl Compiled {
    /// Puts an empty tensor of the right type in place of each input of a dead node that is run all the same: a transfer.
    fn stand_in(&self, node: u32, inputs: &mut [Option<Value>]) -> Result<()> {
        for (input, ty) in inputs.iter_mut().zip(&self.infos[node as usize].input_types) {
            *input = Some(Value::Tensor(Tensor::zeros(ty.dtype, Shape::from_lens(&[0])?)?));
        }
        Ok(())
    }

    /// Reads the references among a node's inputs, except where its op takes references.
    fn read_references(&self, node: u32, item: &Item, inputs: &mut [Option<Value>]) -> Result<()> {
        for (i, input) in inputs.iter_mut().enumerate() {
            if let Some(Value::Ref(v)) = input {
                let value = match item.refs {
                    Refs::Read => Value::Tensor(v.read()?),
                    _ => dereferenced(Value::Ref(v.clone()), &self.infos[node as usize], i)?,
                };
                *input = Some(value);
            }
        }
        Ok(())
    }
}

/// A value as the node's input `i` wants it.
pub(super) fn dereferenced(value: Value, info: &NodeInfo, i: usize) -> Result<Value> {
    match value {
        Value::Ref(v) if info.input_types[i].is_ref => {
            if info.op.def.allows_uninitialized_input || v.is_initialized() {
                Ok(Value::Ref(v))
            } else {
                Err(v.uninitialized())
            }
        }
        Value::Ref(v) => v.read().map(Value::Tensor),
        value => Ok(value),
    }
}
