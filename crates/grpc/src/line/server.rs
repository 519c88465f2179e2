//! The answering side of lines, and the door: the local socket at which a task of the same machine may open one.

use super::errors::error_body;
use super::frames::{FRAMES_AT_ONCE, FrameReader};
use super::head::{Head, Kind};
use super::socket::{self, Incoming, Outgoing};
use super::writer::Writer;
use super::{OPENING, OPENING_TOLD_BY};
use crate::connection::Phase;
use crate::frame::Message;
use crate::segments::{PREFIX, Segments};
use crate::service::{Respond, Services};
use bytes::Bytes;
use ferroflow_distributed::CallOptions;
use ferroflow_graph::kernel::{Burst, CancellationManager, burst};
use ferroflow_tensor::error::{cancelled, internal, unavailable};
use ferroflow_tensor::{Code, Error, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};

/// An opening has to come within this time.
const OPENING_WITHIN: Duration = Duration::from_secs(20);
/// When a server ends, so long its last answers may take to leave; a peer that does not read them by then loses them.
const FLUSH_WITHIN: Duration = Duration::from_millis(400);

/// The local socket of a task. Its name is random and told only over the task's port, so whoever reaches it means this task.
pub(crate) struct Door {
    name: String,
    listener: UnixListener,
}

#[cfg(target_os = "linux")]
fn local_name(name: &str) -> std::io::Result<std::os::unix::net::SocketAddr> {
    use std::os::linux::net::SocketAddrExt;
    std::os::unix::net::SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn local_name(_: &str) -> std::io::Result<std::os::unix::net::SocketAddr> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Connects to the door of this name.
pub(super) async fn knock(name: &str) -> std::io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::connect_addr(&local_name(name)?)?;
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

impl Door {
    /// Makes a door; call it in the context of the event loop.
    ///
    /// Errors: what the system says, `Unsupported` where it has no such sockets.
    pub(crate) fn new() -> std::io::Result<Door> {
        let name = format!("ferroflow-{:016x}", rand::random::<u64>());
        let listener = std::os::unix::net::UnixListener::bind_addr(&local_name(&name)?)?;
        listener.set_nonblocking(true)?;
        Ok(Door { name, listener: UnixListener::from_std(listener)? })
    }

    /// What the door is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Lets tasks in until the server ends.
    pub(crate) async fn accept(self, services: Arc<Services>, mut phase: watch::Receiver<Phase>) {
        loop {
            let accepted = tokio::select! {
                a = self.listener.accept() => a,
                _ = phase.wait_for(|p| *p > Phase::Serving) => return,
            };
            match accepted {
                Ok((stream, _)) => {
                    let (services, phase) = (services.clone(), phase.clone());
                    tokio::spawn(async move { answer(socket::of_unix(stream), services, phase).await });
                }
                Err(e) => {
                    tracing::warn!("cannot accept a local connection: {e}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}

/// Answers the calls of a connection that has begun as a line.
pub(crate) async fn serve(stream: TcpStream, services: Arc<Services>, phase: watch::Receiver<Phase>) {
    debug_assert!(OPENING.starts_with(OPENING_TOLD_BY));
    answer(socket::of_tcp(stream), services, phase).await;
}

/// Calls under way on one line.
struct Calls {
    writer: Arc<Writer>,
    table: Mutex<HashMap<u64, Arc<CancellationManager>>>,
    /// The last one has ended.
    idle: Notify,
}

impl Calls {
    /// Takes a call out; whoever gets it ends it.
    fn take(&self, id: u64) -> Option<Arc<CancellationManager>> {
        let mut table = self.table.lock();
        let call = table.remove(&id);
        if table.is_empty() {
            self.idle.notify_one();
        }
        call
    }

    fn respond(&self, id: u64, outcome: Result<Segments>) {
        if self.take(id).is_some() {
            self.send(id, outcome);
        }
    }

    fn send(&self, id: u64, outcome: Result<Segments>) {
        let (code, message) = match outcome {
            Ok(message) => (Code::Ok, message),
            Err(e) => {
                tracing::debug!("call failed: {e}");
                (e.code(), Segments { parts: [Bytes::from_static(&[0; PREFIX]), error_body(&e)].into_iter().collect() })
            }
        };
        self.writer.send(Head { code: code as i32 as u8, ..Head::of(Kind::Response, id) }, "", message);
    }

    fn end_all(&self, reason: &Error, caller_waits: bool) {
        let calls = std::mem::take(&mut *self.table.lock());
        for (id, call) in calls {
            if caller_waits {
                self.send(id, Err(reason.clone()));
            }
            call.cancel(reason.clone());
        }
    }
}

/// Answers a call once, at the latest when it is dropped.
struct Answer {
    calls: Arc<Calls>,
    id: u64,
    given: bool,
}

impl Drop for Answer {
    fn drop(&mut self) {
        if !self.given {
            self.calls.respond(self.id, Err(internal("the handler of the call ended without an answer")));
        }
    }
}

async fn answer((incoming, outgoing): (Incoming, Outgoing), services: Arc<Services>, mut phase: watch::Receiver<Phase>) {
    let writer = Writer::start(outgoing, &Handle::current());
    let calls = Arc::new(Calls { writer, table: Mutex::default(), idle: Notify::new() });
    let (watched, mut ending) = (phase.clone(), phase.clone());
    let drained = async {
        let _ = ending.wait_for(|p| *p > Phase::Serving).await;
        while !calls.table.lock().is_empty() {
            calls.idle.notified().await;
        }
    };
    tokio::select! {
        ended = receive(&calls, incoming, &services, &watched) => {
            if let Err(e) = ended {
                tracing::debug!("line ended: {e}");
            }
            calls.end_all(&cancelled("the call was cancelled by its caller"), false);
        }
        () = drained => {}
        _ = phase.wait_for(|p| *p == Phase::Closing) => calls.end_all(&unavailable(format!("{} is shutting down", services.name)), true),
    }
    let flushed = async {
        while !calls.writer.is_flushed() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let _ = tokio::time::timeout(FLUSH_WITHIN, flushed).await;
    calls.writer.close();
}

async fn receive(
    calls: &Arc<Calls>,
    mut incoming: Incoming,
    services: &Arc<Services>,
    phase: &watch::Receiver<Phase>,
) -> std::io::Result<()> {
    let mut opening = [0; OPENING.len()];
    tokio::time::timeout(OPENING_WITHIN, incoming.read_exact(&mut opening)).await??;
    if opening != *OPENING {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "this is no opening of a line"));
    }
    let mut frames = FrameReader::new(incoming, calls.writer.clone());
    while let Some((head, path)) = frames.head().await? {
        let content = services.find(&path).map_or(&[][..], |f| f.2);
        let message = frames.message(head, content).await?;
        burst(Burst::Serving, || {
            take(calls, services, phase, head, &path, message)?;
            for _ in 1..FRAMES_AT_ONCE {
                let Some((head, path, message)) = frames.ready()? else { break };
                take(calls, services, phase, head, &path, message)?;
            }
            std::io::Result::Ok(())
        })?;
    }
    Ok(())
}

/// Begins a call, or ends one that its caller gives up.
///
/// Errors: `InvalidData` for frames that no caller sends.
fn take(
    calls: &Arc<Calls>,
    services: &Arc<Services>,
    phase: &watch::Receiver<Phase>,
    head: Head,
    path: &str,
    message: Message,
) -> std::io::Result<()> {
    let id = head.id;
    match (head.kind, services.find(path)) {
        (Kind::Cancel, _) => {
            // It is answered all the same: the caller may want to know in what it was interrupted.
            let call = calls.table.lock().get(&id).cloned();
            if let Some(call) = call {
                call.cancel(cancelled("the call was cancelled by its caller").derived());
            }
        }
        (Kind::Response | Kind::Claim | Kind::Read | Kind::Returned, _) => {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "a caller sent a response"));
        }
        (Kind::Request, None) => {
            calls.send(id, Err(Error::new(Code::Unimplemented, format!("{path} is not implemented by ferroflow"))));
        }
        (Kind::Request, _) if *phase.borrow() > Phase::Serving => {
            calls.send(id, Err(unavailable(format!("{} is shutting down", services.name))));
        }
        (Kind::Request, Some((service, method, _))) => {
            let cancellation = Arc::new(CancellationManager::new());
            calls.table.lock().insert(id, cancellation.clone());
            let mut answer = Answer { calls: calls.clone(), id, given: false };
            let respond: Respond = Box::new(move |outcome| {
                answer.given = true;
                answer.calls.respond(id, outcome);
            });
            let options = CallOptions::cancelled_by(&cancellation);
            if catch_unwind(AssertUnwindSafe(|| service.call(method, message, options, respond))).is_err() {
                calls.respond(id, Err(internal("the handler of the call panicked")));
            }
        }
    }
    Ok(())
}
