//! A step with nothing around it: one device, empty resources, a rendezvous in memory, threads made on demand.

use ferroflow_graph::kernel::{
    CancellationManager, ComputePool, DeviceInfo, Received, RecvDone, Rendezvous, RendezvousKey, ResourceManager, StepContext,
};
use ferroflow_tensor::error::aborted;
use ferroflow_tensor::{DeviceSpec, Error, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Threads that live as long as one loop.
struct Threads(usize);

impl ComputePool for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn parallel_for(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        if self.0 == 1 {
            return (0..tasks).for_each(body);
        }
        std::thread::scope(|scope| {
            for first in 0..self.0.min(tasks) {
                scope.spawn(move || (first..tasks).step_by(self.0).for_each(body));
            }
        });
    }

    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        std::thread::spawn(job);
    }
}

#[derive(Default)]
struct Table {
    sent: HashMap<Arc<str>, Received>,
    waiting: HashMap<Arc<str>, RecvDone>,
    error: Option<Error>,
}

/// A rendezvous of one process.
#[derive(Default)]
pub struct LocalRendezvous(Mutex<Table>);

impl Rendezvous for LocalRendezvous {
    fn send(&self, key: &RendezvousKey, value: Received) -> Result<()> {
        let mut table = self.0.lock();
        if let Some(e) = &table.error {
            return Err(e.clone());
        }
        if let Some(done) = table.waiting.remove(&key.full) {
            drop(table);
            done(Ok(value));
            return Ok(());
        }
        match table.sent.insert(key.full.clone(), value) {
            None => Ok(()),
            Some(_) => Err(aborted(format!("Duplicate send: {}", key.full))),
        }
    }

    fn recv_async(&self, key: &RendezvousKey, done: RecvDone) {
        let mut table = self.0.lock();
        let ready = match (table.error.clone(), table.sent.remove(&key.full)) {
            (Some(e), _) => Err(e),
            (None, Some(value)) => Ok(value),
            (None, None) => {
                table.waiting.insert(key.full.clone(), done);
                return;
            }
        };
        drop(table);
        done(ready);
    }

    fn abort(&self, error: Error) {
        let waiting = {
            let mut table = self.0.lock();
            table.error = Some(error.clone());
            std::mem::take(&mut table.waiting)
        };
        waiting.into_values().for_each(|done| done(Err(error.clone())));
    }
}

/// A step on `/job:localhost/replica:0/task:0/device:CPU:0` with this many compute threads.
///
/// # Panics
/// If `threads` is 0.
pub fn bare_step(threads: usize) -> Arc<StepContext> {
    assert!(threads > 0, "a pool has at least one thread");
    let spec = DeviceSpec::parse("/job:localhost/replica:0/task:0/device:CPU:0").expect("a well-formed device name");
    Arc::new(StepContext {
        step_id: 1,
        session: "test".into(),
        device: Arc::new(DeviceInfo { name: spec.to_string().into(), spec, incarnation: 1 }),
        resources: Arc::new(ResourceManager::new("localhost")),
        step_resources: Arc::new(ResourceManager::new("localhost")),
        rendezvous: Arc::new(LocalRendezvous::default()),
        cancellation: Arc::new(CancellationManager::new()),
        pool: Arc::new(Threads(threads)),
        functions: None,
    })
}
