//! `Shared`: what the threads of a step share: its inbox, and the state while nobody drives.
//!
//! One thread at a time drives a step: it alone holds the [`StepState`], runs cheap nodes and hands out jobs. Whoever ends a job puts
//! the result into the inbox; if nobody drives just then, the state lies there too, and the step is driven on from there.

use super::Executor;
use super::drive::{drive, drive_briefly};
use super::job::Completion;
use super::state::StepState;
use crate::StepStatsCollector;
use ferroflow_graph::kernel::{Outputs, PutOff, StepContext, resume_later};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

#[derive(Default)]
struct Inbox {
    mail: Vec<Completion>,
    parked: Option<Box<StepState>>,
}

/// One run of an executor.
pub(crate) struct Shared {
    pub(crate) executor: Arc<Executor>,
    pub(crate) step: Arc<StepContext>,
    pub(crate) collector: Option<Arc<StepStatsCollector>>,
    has_mail: AtomicBool,
    inbox: Mutex<Inbox>,
}

impl Shared {
    pub(crate) fn new(executor: Arc<Executor>, step: Arc<StepContext>, collector: Option<Arc<StepStatsCollector>>) -> Shared {
        Shared { executor, step, collector, has_mail: AtomicBool::new(false), inbox: Mutex::default() }
    }

    /// Puts the result of a job into the inbox. Returns the state, with all mail in it, if nobody drives the step: then the caller must.
    pub(crate) fn complete(&self, completion: Completion) -> Option<Box<StepState>> {
        let mut inbox = self.inbox.lock();
        inbox.mail.push(completion);
        match inbox.parked.take() {
            Some(mut state) => {
                state.mail.append(&mut inbox.mail);
                Some(state)
            }
            None => {
                self.has_mail.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// As [`Shared::complete`], for threads that must not drive: the pool does, or this thread when it is done with what it is about.
    pub(crate) fn complete_elsewhere(shared: &Arc<Shared>, completion: Completion) {
        if resume_later(shared) {
            shared.inbox.lock().mail.push(completion);
            shared.has_mail.store(true, Ordering::Relaxed);
        } else if let Some(state) = shared.complete(completion) {
            Shared::drive_in_pool(shared.clone(), state);
        }
    }

    /// Lets the pool drive.
    pub(crate) fn drive_in_pool(shared: Arc<Shared>, state: Box<StepState>) {
        let pool = shared.executor.pool.clone();
        pool.spawn(Box::new(move || drive(shared, state)));
    }

    /// Stops driving. Returns the state, with all mail in it, if there is mail: then the caller must go on.
    pub(crate) fn park(&self, mut state: Box<StepState>) -> Option<Box<StepState>> {
        let mut inbox = self.inbox.lock();
        if inbox.mail.is_empty() {
            inbox.parked = Some(state);
            return None;
        }
        self.has_mail.store(false, Ordering::Relaxed);
        state.mail.append(&mut inbox.mail);
        Some(state)
    }

    /// Fetches mail while driving.
    pub(crate) fn fetch_mail(&self, state: &mut StepState) {
        if self.has_mail.load(Ordering::Relaxed) {
            self.has_mail.store(false, Ordering::Relaxed);
            state.mail.append(&mut self.inbox.lock().mail);
        }
    }

    /// Notes the run of a node for the step's statistics.
    pub(crate) fn record(&self, node: u32, start: Instant, outputs: &Outputs) {
        if let Some(collector) = &self.collector {
            let graph = &self.executor.graph;
            collector.add(&self.step.device.name, &graph.infos[node as usize], &graph.label(node), start, outputs);
        }
    }
}

impl PutOff for Shared {
    /// Resumes the step if there is mail and nobody drives; whoever drives will find the mail.
    fn run(self: Arc<Self>) {
        let mut inbox = self.inbox.lock();
        if inbox.mail.is_empty() {
            return;
        }
        let Some(mut state) = inbox.parked.take() else { return };
        self.has_mail.store(false, Ordering::Relaxed);
        state.mail.append(&mut inbox.mail);
        drop(inbox);
        drive_briefly(self, state);
    }
}
