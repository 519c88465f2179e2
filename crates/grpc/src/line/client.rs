//! The caller's side of a line.

use super::errors::error_of;
use super::frames::{FRAMES_AT_ONCE, FrameReader};
use super::head::{Head, Kind};
use super::socket::{self, Incoming, Outgoing};
use super::writer::Writer;
use super::{OPENING, server};
use crate::codec::ContentPath;
use crate::frame::Message;
use crate::segments::Segments;
use ferroflow_distributed::CallOptions;
use ferroflow_graph::kernel::{Burst, CancellationManager, CancellationToken, burst};
use ferroflow_tensor::error::{deadline_exceeded, unavailable};
use ferroflow_tensor::{Code, Error, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// An opening that takes longer is given up.
const OPEN_WITHIN: Duration = Duration::from_secs(5);

/// A call to be made.
pub(crate) struct Request {
    /// `/tensorflow.WorkerService/RunGraph`.
    pub(crate) path: &'static str,
    pub(crate) message: Segments,
    /// Where its response has its large memory.
    pub(crate) response: ContentPath,
    pub(crate) options: CallOptions,
    /// Called once with the response, or with why there is none.
    pub(crate) done: Box<dyn FnOnce(Result<Message>) + Send>,
}

/// A line to a peer. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Line(Arc<Shared>);

struct Shared {
    /// `task /job:ps/replica:0/task:0 at host:port`, for messages.
    peer: String,
    writer: Arc<Writer>,
    table: Mutex<Table>,
    io: Handle,
}

#[derive(Default)]
struct Table {
    next: u64,
    waiting: HashMap<u64, Waiting>,
    /// Why the line has ended.
    ended: Option<String>,
}

struct Waiting {
    path: &'static str,
    response: ContentPath,
    done: Box<dyn FnOnce(Result<Message>) + Send>,
    registered: Option<(Arc<CancellationManager>, CancellationToken)>,
    deadline: Option<AbortHandle>,
    /// Why it was given up, while the peer may still say in what it was interrupted.
    given_up: Option<Error>,
}

impl Waiting {
    fn end(self, outcome: Result<Message>) {
        if let Some((manager, token)) = self.registered {
            manager.deregister(token);
        }
        if let Some(deadline) = self.deadline {
            deadline.abort();
        }
        (self.done)(outcome);
    }
}

impl Line {
    /// Opens a line to a peer (called so in messages): by its door if it has one on this machine, else by TCP.
    ///
    /// Errors: what the system says.
    pub(crate) async fn open(
        peer: &str,
        door: Option<&str>,
        tcp: impl Future<Output = std::io::Result<TcpStream>>,
    ) -> std::io::Result<Line> {
        let opened = async {
            if let Some(name) = door {
                match server::knock(name).await {
                    Ok(mut stream) => {
                        stream.write_all(OPENING).await?;
                        return Ok(socket::of_unix(stream));
                    }
                    Err(e) => tracing::debug!("no local socket {name} ({e}); the line runs over TCP"),
                }
            }
            let mut stream = tcp.await?;
            crate::socket::configure(&stream);
            stream.write_all(OPENING).await?;
            std::io::Result::Ok(socket::of_tcp(stream))
        };
        let halves = tokio::time::timeout(OPEN_WITHIN, opened).await.unwrap_or_else(|e| Err(e.into()))?;
        Ok(Line::over(halves, &Handle::current(), peer))
    }

    fn over((incoming, outgoing): (Incoming, Outgoing), io: &Handle, peer: &str) -> Line {
        let writer = Writer::start(outgoing, io);
        let shared = Arc::new(Shared { peer: peer.to_owned(), writer, table: Mutex::default(), io: io.clone() });
        let guard = Dropped(shared.clone());
        io.spawn(async move {
            let why = match receive(&guard.0, incoming).await {
                Ok(()) => "the peer closed the connection".to_owned(),
                Err(e) => crate::channel::plain_text(&e),
            };
            guard.0.end(&why);
        });
        Line(shared)
    }

    /// Whether calls can be made.
    pub(crate) fn is_open(&self) -> bool {
        self.0.table.lock().ended.is_none()
    }

    /// Ends it: calls that wait fail with `Unavailable` and this reason.
    pub(crate) fn close(&self, why: &str) {
        self.0.end(why);
    }

    /// Makes a call. The request comes back if the line has ended: then nothing was sent.
    pub(crate) fn call(&self, request: Request) -> Option<Request> {
        let Request { path, message, response, options, done } = request;
        let shared = &self.0;
        let id = {
            let mut table = shared.table.lock();
            if table.ended.is_some() {
                drop(table);
                return Some(Request { path, message, response, options, done });
            }
            table.next += 1;
            let id = table.next;
            table.waiting.insert(id, Waiting { path, response, done, registered: None, deadline: None, given_up: None });
            id
        };
        if let Some(manager) = options.cancellation {
            let (given_up, account) = (shared.clone(), options.account);
            let on_cancel = move |reason: &Error| {
                // Elsewhere: whoever cancels may be in the middle of something that the callback needs.
                let (given_up, reason) = (given_up.clone(), reason.clone());
                given_up.io.clone().spawn(async move {
                    if let Some(account) = account {
                        given_up.interrupt(id, &reason);
                        tokio::time::sleep(account).await;
                    }
                    given_up.give_up(id, reason);
                });
            };
            match manager.register(on_cancel) {
                Ok(token) => shared.attach(
                    id,
                    |w| w.registered = Some((manager.clone(), token)),
                    || {
                        manager.deregister(token);
                    },
                ),
                Err(reason) => {
                    shared.give_up(id, reason);
                    return None;
                }
            }
        }
        if let Some(limit) = options.timeout {
            let late = shared.clone();
            let timer = shared.io.spawn(async move {
                tokio::time::sleep(limit).await;
                late.give_up(id, deadline_exceeded("Deadline Exceeded"));
            });
            let timer = timer.abort_handle();
            shared.attach(id, |w| w.deadline = Some(timer.clone()), || timer.abort());
        }
        shared.writer.send(Head::of(Kind::Request, id), path, message);
        None
    }
}

impl Shared {
    /// Adds something to a call that waits; if it has ended meanwhile, that is undone.
    fn attach(&self, id: u64, add: impl FnOnce(&mut Waiting), undo: impl FnOnce()) {
        let mut table = self.table.lock();
        match table.waiting.get_mut(&id) {
            Some(waiting) => add(waiting),
            None => {
                drop(table);
                undo();
            }
        }
    }

    /// Ends a call at the peer, whose answer may be an account of it.
    fn interrupt(&self, id: u64, reason: &Error) {
        let mut table = self.table.lock();
        let Some(waiting) = table.waiting.get_mut(&id) else { return };
        waiting.given_up = Some(reason.clone());
        drop(table);
        self.cancel(id);
    }

    fn cancel(&self, id: u64) {
        self.writer.send(Head::of(Kind::Cancel, id), "", Segments::default());
    }

    /// Ends a call that nobody wants any more, here and at the peer.
    fn give_up(&self, id: u64, reason: Error) {
        let waiting = self.table.lock().waiting.remove(&id);
        if let Some(waiting) = waiting {
            if waiting.given_up.is_none() {
                self.cancel(id);
            }
            waiting.end(Err(reason));
        }
    }

    /// Ends the call that this frame answers, if it still waits.
    fn hand_out(&self, head: Head, message: Message) {
        let waiting = self.table.lock().waiting.remove(&head.id);
        let (Kind::Response, Some(mut waiting)) = (head.kind, waiting) else { return };
        let outcome = match head.code {
            0 => Ok(message),
            code => Err(error_of(code, message.bytes())),
        };
        let outcome = match (waiting.given_up.take(), outcome) {
            (None, outcome) => outcome,
            (Some(_), Err(account)) if account.code() == Code::Cancelled && !account.is_derived() => Err(account),
            (Some(reason), _) => Err(reason),
        };
        waiting.end(outcome);
    }

    fn end(&self, why: &str) {
        for waiting in self.take_all(why) {
            let call = waiting.path.rsplit('/').next().unwrap_or(waiting.path);
            let lost = unavailable(format!("{}: connection lost during {call}: {why}", self.peer));
            waiting.end(Err(lost));
        }
    }

    fn take_all(&self, why: &str) -> Vec<Waiting> {
        let mut table = self.table.lock();
        table.ended.get_or_insert_with(|| why.to_owned());
        self.writer.close();
        std::mem::take(&mut table.waiting).into_values().collect()
    }
}

/// Ends the line also when the event loop ends first, and its tasks are dropped: calls then end as all do that are dropped.
struct Dropped(Arc<Shared>);

impl Drop for Dropped {
    fn drop(&mut self) {
        drop(self.0.take_all("this process is shutting down"));
    }
}

/// Hands out responses until the connection ends.
async fn receive(shared: &Shared, incoming: Incoming) -> std::io::Result<()> {
    let mut frames = FrameReader::new(incoming, shared.writer.clone());
    while let Some((head, _)) = frames.head().await? {
        let content = shared.table.lock().waiting.get(&head.id).map(|w| w.response);
        let message = frames.message(head, content.unwrap_or(&[])).await?;
        burst(Burst::Serving, || {
            shared.hand_out(head, message);
            for _ in 1..FRAMES_AT_ONCE {
                let Some((head, _, message)) = frames.ready()? else { break };
                shared.hand_out(head, message);
            }
            std::io::Result::Ok(())
        })?;
    }
    Ok(())
}
