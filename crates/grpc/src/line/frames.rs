//! Frames of a line: their head, and reading them.

use super::lending::{self, CLAIM, LARGEST_REST, LOAN, Loan};
use super::writer::Writer;
use crate::codec::{ContentPath, first_content};
use crate::frame::{LARGEST_MESSAGE, Message};
use bytes::Bytes;
use ferroflow_tensor::Buffer;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes of a frame's head.
pub(super) const HEAD: usize = 16;
/// What is read at once while messages are small.
const READ: usize = 64 << 10;
/// Messages from this size on are read into memory of their own.
const LARGE: usize = 16 << 10;
/// So much of a large message is looked at to find where its tensor begins.
const LOOKED_AT: usize = 4 << 10;
/// Tensor memory starts at a multiple of this.
const ALIGN: usize = 64;
/// Set in the kind of a frame that holds a loan in front of what is left of its message.
const LENT: u8 = 0x80;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Request = 1,
    Response = 2,
    /// The caller no longer waits.
    Cancel = 3,
    /// Shows a token in the sender's memory.
    Claim = 4,
    /// The sender has read the receiver's token.
    Read = 5,
    /// The sender gives back what was lent under this number.
    Returned = 6,
}

impl Kind {
    fn is_of_a_call(self) -> bool {
        matches!(self, Kind::Request | Kind::Response | Kind::Cancel)
    }
}

/// Small frames that have come together are handled together, but not more than this.
pub(super) const FRAMES_AT_ONCE: usize = 64;

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// Whether a piece of the message stays in the sender's memory.
    pub(super) is_lent: bool,
    /// Of a response: 0, or the code of the error.
    pub(super) code: u8,
    /// Bytes of the path, of a request.
    pub(super) path: u16,
    /// Bytes of the message.
    pub(super) len: u32,
    /// The call, numbered by the caller.
    pub(super) id: u64,
}

impl Head {
    /// A frame of this kind about this call, so far without a message.
    pub(super) fn of(kind: Kind, id: u64) -> Head {
        Head { kind, is_lent: false, code: 0, path: 0, len: 0, id }
    }

    pub(super) fn to_bytes(self) -> [u8; HEAD] {
        let mut b = [0; HEAD];
        b[0] = self.kind as u8 | if self.is_lent { LENT } else { 0 };
        b[1] = self.code;
        b[2..4].copy_from_slice(&self.path.to_le_bytes());
        b[4..8].copy_from_slice(&self.len.to_le_bytes());
        b[8..].copy_from_slice(&self.id.to_le_bytes());
        b
    }

    fn from_bytes(b: &[u8; HEAD]) -> Result<Head> {
        let kind = match b[0] & !LENT {
            1 => Kind::Request,
            2 => Kind::Response,
            3 => Kind::Cancel,
            4 => Kind::Claim,
            5 => Kind::Read,
            6 => Kind::Returned,
            other => return Err(malformed(format!("a frame of the unknown kind {other}"))),
        };
        let (path, len) = (u16::from_le_bytes([b[2], b[3]]), u32::from_le_bytes([b[4], b[5], b[6], b[7]]));
        if len as usize > LARGEST_MESSAGE {
            return Err(malformed(format!("a message of {len} bytes")));
        }
        let [_, _, _, _, _, _, _, _, id @ ..] = *b;
        Ok(Head { kind, is_lent: b[0] & LENT != 0, code: b[1], path, len, id: u64::from_le_bytes(id) })
    }
}

fn malformed(what: String) -> Error {
    Error::new(ErrorKind::InvalidData, format!("the peer sent {what}"))
}

/// Reads frames from a connection.
pub(super) struct FrameReader<R> {
    from: R,
    /// Where the line's own frames are answered.
    writer: Arc<Writer>,
    /// What was read and not yet used is at `start..end`.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(super) fn new(from: R, writer: Arc<Writer>) -> FrameReader<R> {
        FrameReader { from, writer, buffer: vec![0; READ].into(), start: 0, end: 0 }
    }

    /// The head and path of the next frame that is about a call; `None` at the end of the connection.
    ///
    /// Errors: `InvalidData` for what is no frame; what reading returns.
    pub(super) async fn head(&mut self) -> Result<Option<(Head, String)>> {
        loop {
            let Some((head, path)) = self.any_head().await? else { return Ok(None) };
            if head.kind.is_of_a_call() {
                return Ok(Some((head, path)));
            }
            let len = head.len as usize;
            if len > CLAIM {
                return Err(malformed(format!("a frame of the line's own with {len} bytes")));
            }
            self.need(len).await?;
            self.own_frame(head)?;
        }
    }

    /// The next frame about a call, if it is small and all of it has been read already.
    ///
    /// Errors: `InvalidData` for what is no frame.
    pub(super) fn ready(&mut self) -> Result<Option<(Head, String, Message)>> {
        loop {
            let here = &self.buffer[self.start..self.end];
            let Some((bytes, rest)) = here.split_first_chunk::<HEAD>() else { return Ok(None) };
            let head = Head::from_bytes(bytes)?;
            let (path, len) = (usize::from(head.path), head.len as usize);
            if head.is_lent || len >= LARGE || path > LOOKED_AT || rest.len() < path + len {
                return Ok(None);
            }
            self.start += HEAD;
            if !head.kind.is_of_a_call() && path == 0 && len <= CLAIM {
                self.own_frame(head)?;
                continue;
            }
            let path = self.take_path(path)?;
            return Ok(Some((head, path, Message::Bytes(Bytes::copy_from_slice(self.take(len))))));
        }
    }

    /// Does what a frame of the line's own says, whose message has been read.
    fn own_frame(&mut self, head: Head) -> Result<()> {
        let message = self.take(head.len as usize);
        match (head.kind, message.first_chunk::<CLAIM>()) {
            (Kind::Claim, Some(claim)) => {
                let claim = *claim;
                if self.writer.lending.examine(&claim) {
                    self.writer.tell(Kind::Read, 0, &[]);
                }
            }
            (Kind::Claim, None) => return Err(malformed(format!("a claim of {} bytes", head.len))),
            (Kind::Read, _) => self.writer.lending.has_been_read(),
            (Kind::Returned, _) => self.writer.lending.take_back(head.id),
            (Kind::Request | Kind::Response | Kind::Cancel, _) => return Err(malformed("a call where none can be".into())),
        }
        Ok(())
    }

    async fn any_head(&mut self) -> Result<Option<(Head, String)>> {
        if self.start == self.end {
            (self.start, self.end) = (0, self.from.read(&mut self.buffer).await?);
            if self.end == 0 {
                return Ok(None);
            }
        }
        self.need(HEAD).await?;
        let mut bytes = [0; HEAD];
        bytes.copy_from_slice(self.take(HEAD));
        let head = Head::from_bytes(&bytes)?;
        if usize::from(head.path) > LOOKED_AT {
            return Err(malformed(format!("a path of {} bytes", head.path)));
        }
        self.need(head.path.into()).await?;
        let path = self.take_path(head.path.into())?;
        Ok(Some((head, path)))
    }

    fn take_path(&mut self, len: usize) -> Result<String> {
        let path = std::str::from_utf8(self.take(len)).map_err(|_| malformed("a path that is no text".into()))?;
        Ok(path.to_owned())
    }

    /// The message of the frame whose head was just read, its tensor (found along `content`) aligned.
    ///
    /// Errors: `OutOfMemory`; what reading returns.
    pub(super) async fn message(&mut self, head: Head, content: ContentPath) -> Result<Message> {
        let len = head.len as usize;
        if head.is_lent {
            return self.lent_message(len, content).await;
        }
        if len < LARGE {
            self.need(len).await?;
            return Ok(Message::Bytes(Bytes::copy_from_slice(self.take(len))));
        }
        self.need(LOOKED_AT).await?;
        let here = (self.end - self.start).min(len);
        let seen = self.take(here);
        let at = first_content(content, seen, len).map_or(0, |offset| (ALIGN - offset % ALIGN) % ALIGN);
        let mut buffer = Buffer::recycled(at + len).ok_or_else(|| Error::from(ErrorKind::OutOfMemory))?;
        let memory = buffer.get_mut().and_then(|m| m.get_mut(at..at + len)).ok_or_else(|| Error::from(ErrorKind::OutOfMemory))?;
        let (first, rest) = memory.split_at_mut(here);
        first.copy_from_slice(seen);
        self.from.read_exact(rest).await?;
        Ok(Message::Buffer { buffer, range: at..at + len })
    }

    /// A message of `len` bytes, a piece of which is read from the peer's memory.
    async fn lent_message(&mut self, len: usize, content: ContentPath) -> Result<Message> {
        self.need(LOAN).await?;
        let mut loan = [0; LOAN];
        loan.copy_from_slice(self.take(LOAN));
        let loan = Loan::from_bytes(&loan);
        let (before, piece) = (loan.at as usize, loan.len as usize);
        let rest = len.checked_sub(piece).filter(|&rest| before <= rest && rest <= LARGEST_REST);
        let rest = rest.ok_or_else(|| malformed(format!("a loan of {piece} bytes at {before} of a message of {len}")))?;
        self.need(rest).await?;
        let from = self.start;
        self.start += rest;
        let (first, last) = self.buffer[from..from + rest].split_at(before);
        let at = first_content(content, first, len).map_or(0, |offset| (ALIGN - offset % ALIGN) % ALIGN);
        let mut buffer = Buffer::recycled(at + len).ok_or_else(|| Error::from(ErrorKind::OutOfMemory))?;
        let memory = buffer.get_mut().and_then(|m| m.get_mut(at..at + len)).ok_or_else(|| Error::from(ErrorKind::OutOfMemory))?;
        memory[..before].copy_from_slice(first);
        memory[before + piece..].copy_from_slice(last);
        let mut address = loan.address;
        for (k, part) in memory[before..before + piece].chunks_mut(lending::AT_ONCE).enumerate() {
            if k > 0 {
                tokio::task::yield_now().await;
            }
            self.writer.lending.read(address, part)?;
            address = address.wrapping_add(part.len() as u64);
        }
        self.writer.tell(Kind::Returned, loan.ticket, &[]);
        Ok(Message::Buffer { buffer, range: at..at + len })
    }

    /// Waits until so much is in the buffer, which must have room for it.
    async fn need(&mut self, n: usize) -> Result<()> {
        if self.end - self.start >= n {
            return Ok(());
        }
        if self.start + n > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < n {
            match self.from.read(&mut self.buffer[self.end..]).await? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                n => self.end += n,
            }
        }
        Ok(())
    }

    /// Takes bytes that are in the buffer.
    fn take(&mut self, n: usize) -> &[u8] {
        let from = self.start;
        self.start += n;
        &self.buffer[from..from + n]
    }
}
