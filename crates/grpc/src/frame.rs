//! Messages that arrive, in gRPC's framing: a flag, a length, the bytes; what comes in HTTP/2 frames becomes one piece of memory.
//!
//! A message that comes in a single frame is used where it lies. A larger one is copied, while it is still in the cache, frame by
//! frame into tensor memory, placed so that the elements of its (first large) tensor are aligned: the tensor then *is* that memory.

use crate::codec::{ContentPath, first_content};
use crate::compression::Encoding;
use crate::segments::{LARGEST_MESSAGE, PREFIX};
use bytes::Bytes;
use ferroflow_tensor::error::{internal, resource_exhausted};
use ferroflow_tensor::{Buffer, Result};
use smallvec::SmallVec;
use std::ops::Range;

/// Tensor memory starts at a multiple of this.
const ALIGN: usize = 64;
/// So much must have come before memory is taken for all that the prefix promises: garbage promises gigabytes.
const EARNEST: usize = 64 << 10;

/// The memory of a message that arrived.
#[derive(Clone)]
pub(crate) enum Message {
    /// As it came in one frame.
    Bytes(Bytes),
    /// Put together in tensor memory.
    Buffer {
        /// The memory.
        buffer: Buffer,
        /// Where in it the message is.
        range: Range<usize>,
    },
}

impl Message {
    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Message::Bytes(b) => b,
            Message::Buffer { buffer, range } => buffer.as_slice().get(range.clone()).unwrap_or_default(),
        }
    }

    /// A part of the bytes, sharing the memory. Empty for a range that is none of the message's.
    pub(crate) fn shared(&self, part: Range<usize>) -> Bytes {
        if part.start > part.end || part.end > self.bytes().len() {
            return Bytes::new();
        }
        match self {
            Message::Bytes(b) => b.slice(part),
            Message::Buffer { buffer, range } => buffer.clone().into_bytes().slice(range.start + part.start..range.start + part.end),
        }
    }

    /// Decodes it with prost; byte fields share the memory.
    ///
    /// Errors: `Internal` for bytes that are no such message, as gRPC has it.
    pub(crate) fn decode<M: prost::Message + Default>(&self) -> Result<M> {
        M::decode(self.shared(0..self.bytes().len())).map_err(|e| internal(format!("cannot decode a message: {e}")))
    }
}

/// A message on its way in.
pub(crate) struct Assembly {
    content: ContentPath,
    encoding: Encoding,
    /// Frames that are not yet in `target`.
    waiting: SmallVec<[Bytes; 4]>,
    received: usize,
    /// Flag and length, once they are there.
    prefix: Option<(bool, usize)>,
    /// Where the message is put together, where in it the message starts, and how much of it is there.
    target: Option<(Buffer, usize, usize)>,
}

impl Assembly {
    /// Waits for a message whose large tensor is found along `content`.
    pub(crate) fn new(content: ContentPath, encoding: Encoding) -> Assembly {
        Assembly { content, encoding, waiting: SmallVec::new(), received: 0, prefix: None, target: None }
    }

    /// Takes what came in a frame.
    ///
    /// Errors: `Internal` for a second message, `ResourceExhausted` for one that is too large or for which there is no memory.
    pub(crate) fn push(&mut self, frame: Bytes) -> Result<()> {
        if frame.is_empty() {
            return Ok(());
        }
        self.received += frame.len();
        if let Some((buffer, start, filled)) = &mut self.target {
            return fill(buffer, *start, filled, self.prefix.map_or(0, |p| p.1), &frame);
        }
        self.waiting.push(frame);
        if self.prefix.is_none() {
            if self.received < PREFIX {
                return Ok(());
            }
            if self.waiting[0].len() < PREFIX {
                let joined: Bytes = self.waiting.concat().into();
                self.waiting = SmallVec::from_iter([joined]);
            }
            let p = &self.waiting[0];
            let len = u32::from_be_bytes([p[1], p[2], p[3], p[4]]) as usize;
            if p[0] > 1 {
                return Err(internal(format!("a gRPC message begins with the flag {}, which is neither 0 nor 1", p[0])));
            }
            if len > LARGEST_MESSAGE {
                return Err(resource_exhausted(format!("a message of {len} bytes is larger than the 2 GiB that protobuf allows")));
            }
            self.prefix = Some((p[0] == 1, len));
        }
        let need = self.prefix.map_or(0, |p| p.1);
        if self.received > PREFIX + need {
            return Err(internal("a unary call brought more than one message"));
        }
        let in_one_piece = self.waiting.len() == 1 && self.received == PREFIX + need;
        if in_one_piece || self.received < PREFIX + need.min(EARNEST) {
            return Ok(());
        }
        self.place(need)
    }

    /// Takes memory for the whole message and moves what is there into it.
    fn place(&mut self, need: usize) -> Result<()> {
        let head = match self.waiting.first() {
            Some(first) if first.len() >= PREFIX + need.min(EARNEST) => first.clone(),
            _ => self.waiting.concat().into(),
        };
        let content = first_content(self.content, head.get(PREFIX..).unwrap_or_default(), need);
        let start = content.map_or(0, |offset| (ALIGN - offset % ALIGN) % ALIGN);
        let mut buffer =
            Buffer::recycled(start + need).ok_or_else(|| resource_exhausted(format!("no memory for a message of {need} bytes")))?;
        let mut filled = 0;
        for (i, frame) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            let skip = if i == 0 { PREFIX } else { 0 };
            fill(&mut buffer, start, &mut filled, need, frame.get(skip..).unwrap_or_default())?;
        }
        self.target = Some((buffer, start, filled));
        Ok(())
    }

    /// The message, when the peer has sent all.
    ///
    /// Errors: `Internal` for a message that is not whole; `None` if there was none at all.
    pub(crate) fn finish(mut self) -> Result<Option<Message>> {
        if self.received == 0 {
            return Ok(None);
        }
        let Some((compressed, need)) = self.prefix else { return Err(cut_off(self.received, PREFIX)) };
        if self.received != PREFIX + need {
            return Err(cut_off(self.received, PREFIX + need));
        }
        let message = match (self.target.take(), self.waiting.first()) {
            (Some((buffer, start, _)), _) => Message::Buffer { buffer, range: start..start + need },
            (None, Some(only)) => Message::Bytes(only.slice(PREFIX..)),
            (None, None) => return Err(cut_off(0, PREFIX)),
        };
        match compressed {
            true => Ok(Some(Message::Bytes(self.encoding.expand(message.bytes())?))),
            false => Ok(Some(message)),
        }
    }
}

fn cut_off(have: usize, need: usize) -> ferroflow_tensor::Error {
    internal(format!("a gRPC message was cut off: {have} of {need} bytes came"))
}

fn fill(buffer: &mut Buffer, start: usize, filled: &mut usize, need: usize, bytes: &[u8]) -> Result<()> {
    let end = *filled + bytes.len();
    if end > need {
        return Err(internal("a unary call brought more than one message"));
    }
    let memory = buffer.get_mut().and_then(|m| m.get_mut(start + *filled..start + end));
    memory.ok_or_else(|| internal("the memory of a message is shared or too short"))?.copy_from_slice(bytes);
    *filled = end;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(message: &[u8]) -> Vec<u8> {
        let mut all = vec![0];
        all.extend((message.len() as u32).to_be_bytes());
        all.extend(message);
        all
    }

    fn assemble(bytes: &[u8], chunk: usize) -> Result<Option<Message>> {
        let mut assembly = Assembly::new(&[], Encoding::Identity);
        for part in bytes.chunks(chunk.max(1)) {
            assembly.push(Bytes::copy_from_slice(part))?;
        }
        assembly.finish()
    }

    #[test]
    fn a_message_arrives_whole_however_it_is_cut() {
        let message: Vec<u8> = (0..200_000u32).map(|i| i as u8).collect();
        for len in [0, 1, 100, EARNEST - 1, EARNEST, EARNEST + 1, message.len()] {
            for chunk in [1, 3, 5, 6, 1000, 70_000, 1 << 20] {
                if chunk < 1000 && len > 1000 {
                    continue;
                }
                let got = assemble(&framed(&message[..len]), chunk).unwrap().unwrap();
                assert_eq!(got.bytes(), &message[..len], "{len} in pieces of {chunk}");
            }
        }
    }

    #[test]
    fn what_is_no_single_whole_message_is_refused() {
        let good = framed(b"hello");
        assert!(assemble(&[], 1).unwrap().is_none());
        for cut in 1..good.len() {
            assert!(assemble(&good[..cut], 2).is_err(), "{cut}");
        }
        let twice = [good.clone(), good.clone()].concat();
        assert!(assemble(&twice, 3).is_err());
        assert!(assemble(&twice, 100).is_err());
        assert!(assemble(&[7, 0, 0, 0, 0], 5).is_err());
        assert!(assemble(&[0, 0xff, 0xff, 0xff, 0xff], 5).is_err());
        assert!(assemble(&[0, 0x7f, 0xff, 0xff, 0xff, 1], 6).is_err());
    }
}
