//! The thread on which all network work of a task happens: one event loop, apart from the compute pool.

use ferroflow_tensor::Result;
use parking_lot::Mutex;
use std::sync::Arc;
use std::thread::{JoinHandle, ThreadId};
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// An event loop on a thread of its own. It ends with [`IoThread::stop`] or when dropped; what still waits there is dropped too.
pub struct IoThread {
    handle: Handle,
    id: ThreadId,
    running: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
}

impl IoThread {
    /// Starts the thread.
    ///
    /// Errors: what the system says when it refuses an event loop or a thread.
    pub fn start() -> Result<Arc<IoThread>> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(4).build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name("ferroflow-io".to_owned()).spawn(move || {
            // The loop ends when it is told so, and also when whoever could tell is gone.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_timeout(Duration::from_millis(100));
        })?;
        Ok(Arc::new(IoThread { handle, id: thread.thread().id(), running: Mutex::new(Some((stop, thread))) }))
    }

    /// Where futures are spawned.
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Ends the loop and waits for the thread, unless this is it.
    pub fn stop(&self) {
        let running = self.running.lock().take();
        if let Some((stop, thread)) = running {
            let _ = stop.send(());
            if std::thread::current().id() != self.id {
                let _ = thread.join();
            }
        }
    }
}

impl Drop for IoThread {
    fn drop(&mut self) {
        self.stop();
    }
}
