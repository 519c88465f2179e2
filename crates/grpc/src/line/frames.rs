//! Reading the frames of a line.

use super::head::{HEAD, Head, Kind, malformed};
use super::lending::{self, CLAIM, LARGEST_REST, LOAN, Loan};
use super::writer::Writer;
use crate::codec::{ContentPath, first_content};
use crate::frame::Message;
use bytes::Bytes;
use ferroflow_tensor::Buffer;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt};

/// What is read at once while messages are small.
const READ: usize = 64 << 10;
/// Messages from this size on are read into memory of their own.
const LARGE: usize = 16 << 10;
/// So much of a large message is looked at to find where its tensor begins.
const LOOKED_AT: usize = 4 << 10;
/// Tensor memory starts at a multiple of this.
const ALIGN: usize = 64;
/// Small frames that have come together are handled together, but not more than this.
pub(super) const FRAMES_AT_ONCE: usize = 64;

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
