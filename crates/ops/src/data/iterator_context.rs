//! `IteratorContext`: what iterators work with, apart from any step (TF: `IteratorContext`).

use super::seeds::{SeedGenerator, Standing};
use ferroflow_graph::kernel::{
    CancellationManager, ComputePool, DeviceInfo, FunctionRuntime, Received, RecvDone, Rendezvous, RendezvousKey, ResourceManager,
    StepContext,
};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Device, resources and threads of the iterators made in one step.
#[derive(Clone)]
pub(crate) struct IteratorContext {
    session: Arc<str>,
    device: Arc<DeviceInfo>,
    resources: Arc<ResourceManager>,
    pool: Arc<dyn ComputePool>,
    /// Ids of the steps that functions run in; negative, so that they are nobody else's.
    next_step: Arc<AtomicI64>,
    /// Functions of graphs with the ones that are called in their place; nothing if they are called themselves.
    fresh: Option<Arc<Mutex<Vec<FreshFunctions>>>>,
    /// What was left to chance; nothing if nobody will want to do the same again.
    chances: Option<Arc<Mutex<Chances>>>,
}

/// The seeds that iterators of datasets have had, by where the generators of them stood, and those that they are still to have because
/// an iterator before them had them.
#[derive(Default)]
struct Chances {
    had: Vec<Standing>,
    to_come: VecDeque<Standing>,
}

/// Functions of a graph, and the same with state of their own.
struct FreshFunctions {
    of_graph: Arc<dyn FunctionRuntime>,
    own: Arc<dyn FunctionRuntime>,
}

/// Whether two are one and the same.
fn is_same(a: &Arc<dyn FunctionRuntime>, b: &Arc<dyn FunctionRuntime>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}

impl IteratorContext {
    /// The context of iterators that are used up within this step.
    pub(crate) fn new(step: &StepContext) -> IteratorContext {
        IteratorContext {
            session: step.session.clone(),
            device: step.device.clone(),
            resources: step.resources.clone(),
            pool: step.pool.clone(),
            next_step: Arc::new(AtomicI64::new(-1)),
            fresh: None,
            chances: None,
        }
    }

    /// The context of iterators that outlive this step. State of functions, such as that of random numbers, is theirs and begins anew.
    pub(crate) fn lasting(step: &StepContext) -> IteratorContext {
        IteratorContext { fresh: Some(Arc::default()), chances: Some(Arc::default()), ..IteratorContext::new(step) }
    }

    /// As [`IteratorContext::lasting`], for iterators that do again what others did whose generators of seeds stood like this.
    pub(super) fn repeating(step: &StepContext, standings: Vec<Standing>) -> IteratorContext {
        let ctx = IteratorContext::lasting(step);
        if let Some(chances) = &ctx.chances {
            chances.lock().to_come = standings.into();
        }
        ctx
    }

    /// The seeds of an iterator.
    pub(super) fn seeds(&self, generator: &SeedGenerator) -> (i64, i64) {
        let Some(chances) = &self.chances else { return generator.next().0 };
        let mut chances = chances.lock();
        if let Some(standing) = chances.to_come.pop_front() {
            generator.stand(standing);
        }
        let (seeds, before) = generator.next();
        chances.had.push(before);
        seeds
    }

    /// Where the generators of seeds stood, one entry for each iterator that had some.
    pub(super) fn standings(&self) -> Vec<Standing> {
        self.chances.as_ref().map(|c| c.lock().had.clone()).unwrap_or_default()
    }

    /// The functions to call where a dataset names these.
    pub(crate) fn functions(&self, of_graph: &Arc<dyn FunctionRuntime>) -> Arc<dyn FunctionRuntime> {
        let Some(fresh) = &self.fresh else { return of_graph.clone() };
        let mut fresh = fresh.lock();
        // A dataset that a function makes names the functions that this function is one of.
        if let Some(known) = fresh.iter().find(|f| is_same(&f.of_graph, of_graph) || is_same(&f.own, of_graph)) {
            return known.own.clone();
        }
        let own = of_graph.fresh().unwrap_or_else(|| of_graph.clone());
        fresh.push(FreshFunctions { of_graph: of_graph.clone(), own: own.clone() });
        own
    }

    /// The threads.
    pub(crate) fn pool(&self) -> &Arc<dyn ComputePool> {
        &self.pool
    }

    /// A step for one call of a function: what fails or is cancelled in it concerns no other call.
    pub(crate) fn step(&self, functions: &Arc<dyn FunctionRuntime>) -> Arc<StepContext> {
        Arc::new(StepContext {
            step_id: self.next_step.fetch_sub(1, Ordering::Relaxed),
            session: self.session.clone(),
            device: self.device.clone(),
            resources: self.resources.clone(),
            step_resources: Arc::new(ResourceManager::new("")),
            rendezvous: Arc::new(Nowhere),
            cancellation: Arc::new(CancellationManager::new()),
            pool: self.pool.clone(),
            functions: Some(functions.clone()),
        })
    }
}

/// The rendezvous of a function that exchanges nothing: it runs on one device as a whole.
struct Nowhere;

impl Rendezvous for Nowhere {
    fn send(&self, key: &RendezvousKey, _: Received) -> Result<()> {
        Err(internal(format!("a function of a dataset sends {} to nobody", key.full)))
    }

    fn recv_async(&self, key: &RendezvousKey, done: RecvDone) {
        done(Err(internal(format!("a function of a dataset receives {} from nobody", key.full))));
    }

    fn abort(&self, _: Error) {}
}
