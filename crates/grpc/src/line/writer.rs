//! Writing frames, from any thread: what the socket takes at once is written by whoever has it, the rest by the event loop.

use super::head::{HEAD, Head, Kind};
use super::lending::{LOAN, Lending};
use super::socket::Outgoing;
use crate::segments::{PREFIX, Segments};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use ferroflow_graph::kernel::{PutOff, write_later};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// Pieces of memory handed to the system in one call.
const AT_ONCE: usize = 16;

/// The sending side of a line.
pub(super) struct Writer {
    to: Outgoing,
    /// Memory that the peer reads by itself, and we of the peer's.
    pub(super) lending: Lending,
    queue: Mutex<Queue>,
    /// Something is left for the event loop, or all is over.
    more: Notify,
}

#[derive(Default)]
struct Queue {
    parts: VecDeque<Bytes>,
    closed: bool,
}

impl Writer {
    /// A writer whose rest is written on this event loop, until it is closed.
    pub(super) fn start(to: Outgoing, io: &Handle) -> Arc<Writer> {
        let lending = Lending::new(to.peer_process());
        let writer = Arc::new(Writer { to, lending, queue: Mutex::default(), more: Notify::new() });
        let working = writer.clone();
        io.spawn(async move {
            loop {
                working.more.notified().await;
                while working.has_more() {
                    if working.to.writable().await.is_err() {
                        working.close();
                    }
                    working.write(&mut working.queue.lock());
                }
                if working.queue.lock().closed {
                    return;
                }
            }
        });
        if let Some(claim) = writer.lending.claim() {
            writer.tell(Kind::Claim, 0, &claim);
        }
        writer
    }

    /// Sends a frame of the line's own. A line that has ended needs none.
    pub(super) fn tell(self: &Arc<Self>, kind: Kind, id: u64, message: &[u8]) {
        let head = Head { id, len: message.len() as u32, ..Head::of(kind, id) };
        self.put([Bytes::from([&head.to_bytes(), message].concat())].into_iter());
    }

    /// Sends a frame; its length is that of the message. Returns whether the line is still open.
    pub(super) fn send(self: &Arc<Self>, head: Head, path: &str, message: Segments) -> bool {
        let mut parts: SmallVec<[Bytes; 4]> = SmallVec::new();
        // Messages carry gRPC's prefix.
        let mut prefix = PREFIX;
        for mut part in message.parts {
            let cut = prefix.min(part.len());
            part.advance(cut);
            prefix -= cut;
            if !part.is_empty() {
                parts.push(part);
            }
        }
        let len = parts.iter().map(Bytes::len).sum::<usize>();
        let loan = self.lending.lend(&mut parts);
        let head = Head { path: path.len() as u16, len: len as u32, is_lent: loan.is_some(), ..head };
        let mut first = BytesMut::with_capacity(HEAD + path.len() + LOAN);
        first.put_slice(&head.to_bytes());
        first.put_slice(path.as_bytes());
        if let Some(loan) = loan {
            first.put_slice(&loan.to_bytes());
        }
        self.put([first.freeze()].into_iter().chain(parts))
    }

    fn put(self: &Arc<Self>, parts: impl Iterator<Item = Bytes>) -> bool {
        let mut queue = self.queue.lock();
        if queue.closed {
            return false;
        }
        // If there is something already, whoever put it there writes this too, or the event loop does.
        let is_first = queue.parts.is_empty();
        queue.parts.extend(parts);
        if is_first && !write_later(self) {
            self.write_or_leave(&mut queue);
        }
        !queue.closed
    }

    /// Writes what the socket takes now, and leaves the rest to the event loop.
    fn write_or_leave(&self, queue: &mut Queue) {
        self.write(queue);
        if !queue.parts.is_empty() {
            self.more.notify_one();
        }
    }

    /// Writes what the socket takes now.
    fn write(&self, queue: &mut Queue) {
        while !queue.parts.is_empty() && !queue.closed {
            let slices: SmallVec<[IoSlice<'_>; AT_ONCE]> = queue.parts.iter().take(AT_ONCE).map(|p| IoSlice::new(p)).collect();
            let tried = self.to.try_write(&slices);
            drop(slices);
            match tried {
                Ok(mut written) => {
                    while let Some(part) = queue.parts.front_mut().filter(|_| written > 0) {
                        let n = written.min(part.len());
                        part.advance(n);
                        written -= n;
                        if part.is_empty() {
                            queue.parts.pop_front();
                        }
                    }
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    tracing::debug!("cannot write to a line: {e}");
                    queue.closed = true;
                    queue.parts.clear();
                    self.lending.end();
                    self.more.notify_one();
                }
            }
        }
    }

    fn has_more(&self) -> bool {
        let queue = self.queue.lock();
        !queue.closed && !queue.parts.is_empty()
    }

    /// Whether all that was sent is with the system.
    pub(super) fn is_flushed(&self) -> bool {
        !self.has_more()
    }

    /// Writes nothing more, and ends the connection.
    pub(super) fn close(&self) {
        self.to.shut_down();
        self.lending.end();
        let mut queue = self.queue.lock();
        queue.closed = true;
        queue.parts.clear();
        self.more.notify_one();
    }
}

impl PutOff for Writer {
    fn run(self: Arc<Self>) {
        self.write_or_leave(&mut self.queue.lock());
    }
}
