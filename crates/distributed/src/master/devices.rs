//! Finding the devices of a session's tasks (TF: `DeviceFinder`). Silent tasks are waited for, by name.

use crate::call::{CallOptions, pending};
use crate::cluster::TaskId;
use crate::env::WorkerEnv;
use crate::waits::Waiting;
use crate::worker_interface::{DeviceAttributes, WorkerInterface};
use ferroflow_graph::kernel::CancellationManager;
use ferroflow_tensor::error::{cancelled, deadline_exceeded, unavailable};
use ferroflow_tensor::{Code, Error, Result};
use parking_lot::Mutex;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// A task to ask.
pub(super) struct Peer {
    pub task: TaskId,
    pub address: String,
    pub worker: Arc<dyn WorkerInterface>,
    /// Whether the session has names of its own for tasks, which they do not know.
    pub is_renamed: bool,
}

impl Peer {
    /// What is wrong with the devices that something at the task's address tells, if it is not the task.
    fn stranger(&self, devices: &[DeviceAttributes]) -> Option<Error> {
        let name = self.task.name();
        let is_own = |d: &DeviceAttributes| d.name.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('/'));
        if self.is_renamed || devices.iter().any(is_own) {
            return None;
        }
        let who = devices.first().map_or("something without devices", |d| d.name.rsplit_once("/device:").map_or(&*d.name, |n| n.0));
        Some(unavailable(format!("answered by {who}, which is not this task of this cluster")))
    }
}

/// How long to wait for silent tasks.
#[derive(Clone, Copy, Debug)]
pub struct WaitLimits {
    /// After how long to give up; `None` means never.
    pub give_up: Option<Duration>,
    /// How often to log who is still silent.
    pub log_every: Duration,
}

impl Default for WaitLimits {
    fn default() -> WaitLimits {
        WaitLimits { give_up: None, log_every: Duration::from_secs(10) }
    }
}

/// The waits that go on, one place per peer.
type Silent = Arc<Mutex<Vec<Option<Waiting>>>>;

/// Asks all peers at once for their devices and waits for all answers.
///
/// Errors: `DeadlineExceeded` naming every silent task when the limit is over (TensorFlow's clients ask again for ever after `Unavailable`); what a task answers that cannot tell its devices.
pub(super) async fn find_devices(env: &WorkerEnv, peers: &[Peer], limits: WaitLimits) -> Result<Vec<(TaskId, Vec<DeviceAttributes>)>> {
    let begin = |p: &Peer| Some(env.waits.begin("the devices of a new session", p.task.name(), p.address.as_str()));
    let silent: Silent = Arc::new(Mutex::new(peers.iter().map(begin).collect()));
    let asks: Vec<_> = peers.iter().enumerate().map(|(i, peer)| ask(env, peer, i, silent.clone())).collect();
    let mut all = pin!(all_or_first_error(asks));
    let started = Instant::now();
    loop {
        let left = limits.give_up.map(|limit| limit.saturating_sub(started.elapsed()));
        let pause = left.map_or(limits.log_every, |left| left.min(limits.log_every));
        if let Some(result) = first(all.as_mut(), env.timer.sleep(pause)).await {
            return result;
        }
        let waits: Vec<String> = silent.lock().iter().flatten().map(|w| w.describe()).collect();
        if limits.give_up.is_some_and(|limit| started.elapsed() >= limit) {
            let why = format!(
                "the session cannot start: {}. Start what is missing, or leave it out with device_filters such as [\"/job:ps\", \"{}\"].",
                waits.join("; "),
                env.task.name()
            );
            tracing::error!("{why}");
            return Err(deadline_exceeded(why));
        }
        tracing::warn!("a new session still waits for {} of {} tasks: {}", waits.len(), peers.len(), waits.join("; "));
    }
}

async fn ask(env: &WorkerEnv, peer: &Peer, i: usize, silent: Silent) -> Result<(TaskId, Vec<DeviceAttributes>)> {
    const FIRST_PAUSE: Duration = Duration::from_millis(20);
    const LONGEST_PAUSE: Duration = Duration::from_secs(1);
    let mut pause = FIRST_PAUSE;
    loop {
        let call = CancelOnDrop(Arc::new(CancellationManager::new()));
        match pending(|done| peer.worker.get_status(CallOptions::cancelled_by(&call.0), done)).await {
            Ok(devices) if peer.stranger(&devices).is_none() => {
                silent.lock()[i] = None;
                return Ok((peer.task.clone(), devices));
            }
            answer => {
                let why = match answer {
                    Ok(devices) => peer.stranger(&devices).unwrap_or_else(|| unavailable("no devices")),
                    Err(e) if matches!(e.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled) => e,
                    Err(e) if matches!(e.code(), Code::Unimplemented | Code::Unknown | Code::Internal) => {
                        e.context("answered by something that is not a task of this cluster")
                    }
                    Err(e) => return Err(e.context(format!("{} does not tell its devices", peer.address)).at_task(&peer.task.name())),
                };
                if let Some(wait) = &silent.lock()[i] {
                    wait.failed(&why);
                }
                env.timer.sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Gives a call up when nobody waits for it any more.
struct CancelOnDrop(Arc<CancellationManager>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel(cancelled("nobody waits for the answer any more"));
    }
}

/// The value of `future` if it comes before `limit`.
pub(crate) async fn first<F: Future>(mut future: Pin<&mut F>, limit: impl Future<Output = ()>) -> Option<F::Output> {
    let mut limit = pin!(limit);
    poll_fn(|cx| match (future.as_mut().poll(cx), limit.as_mut().poll(cx)) {
        (Poll::Ready(value), _) => Poll::Ready(Some(value)),
        (Poll::Pending, Poll::Ready(())) => Poll::Ready(None),
        (Poll::Pending, Poll::Pending) => Poll::Pending,
    })
    .await
}

/// All values in order, or the first error.
async fn all_or_first_error<T, F: Future<Output = Result<T>>>(futures: Vec<F>) -> Result<Vec<T>> {
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut values: Vec<Option<T>> = running.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, value) in running.iter_mut().zip(&mut values) {
            if value.is_none()
                && let Poll::Ready(result) = future.as_mut().poll(cx)
            {
                match result {
                    Ok(v) => *value = Some(v),
                    Err(e) => return Poll::Ready(Err(e)),
                }
            }
        }
        if values.iter().all(|v| v.is_some()) { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await?;
    values.into_iter().map(|v| v.ok_or_else(|| unavailable("an answer is missing"))).collect()
}
