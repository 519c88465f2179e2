//! Messages to send, in gRPC's framing: pieces of memory, tensors among them without a copy.

use bytes::{BufMut, Bytes, BytesMut};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{internal, resource_exhausted};
use smallvec::SmallVec;

/// The largest message that protobuf and TF allow.
pub(crate) const LARGEST_MESSAGE: usize = i32::MAX as usize;
/// The flag and the length in front of a message.
pub(crate) const PREFIX: usize = 5;

/// A message to send: pieces of memory that are sent one after the other, tensors among them without a copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segments {
    pub(crate) parts: SmallVec<[Bytes; 3]>,
}

impl Segments {
    /// A prost message.
    ///
    /// Errors: `ResourceExhausted` if it is larger than a message can be.
    pub(crate) fn of_message(message: &impl prost::Message) -> Result<Segments> {
        let mut writer = SegmentWriter::new(message.encoded_len())?;
        writer.put_message(message)?;
        Ok(writer.finish())
    }

    /// All bytes in one piece.
    #[cfg(test)]
    pub(crate) fn concat(&self) -> Bytes {
        self.parts.concat().into()
    }
}

/// Writes the segments of one message.
pub(crate) struct SegmentWriter {
    done: SmallVec<[Bytes; 3]>,
    open: BytesMut,
}

/// Smaller memory is copied: a segment of its own costs a system call.
const SMALLEST_SHARED: usize = 16 << 10;

impl SegmentWriter {
    /// Begins a message of exactly `len` bytes.
    ///
    /// Errors: `ResourceExhausted` if that is more than a message can be.
    pub(crate) fn new(len: usize) -> Result<SegmentWriter> {
        if len > LARGEST_MESSAGE {
            return Err(resource_exhausted(format!("a message of {len} bytes is larger than the 2 GiB that protobuf allows")));
        }
        let mut open = BytesMut::with_capacity(PREFIX + if len < 2 * SMALLEST_SHARED { len } else { 256 });
        open.put_u8(0);
        open.put_u32(len as u32);
        Ok(SegmentWriter { done: SmallVec::new(), open })
    }

    /// Where small things are written.
    pub(crate) fn buffer(&mut self) -> &mut BytesMut {
        &mut self.open
    }

    /// Writes a prost message.
    ///
    /// Errors: `Internal` if prost refuses, which it does for a full buffer only.
    pub(crate) fn put_message(&mut self, message: &impl prost::Message) -> Result<()> {
        message.encode(&mut self.open).map_err(|e| internal(format!("cannot encode a message: {e}")))
    }

    /// Adds memory, without copying it if it is large.
    pub(crate) fn put_shared(&mut self, memory: Bytes) {
        if memory.len() < SMALLEST_SHARED {
            return self.open.put_slice(&memory);
        }
        if !self.open.is_empty() {
            self.done.push(self.open.split().freeze());
        }
        self.done.push(memory);
    }

    pub(crate) fn finish(mut self) -> Segments {
        if !self.open.is_empty() {
            self.done.push(self.open.freeze());
        }
        Segments { parts: self.done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memory_is_sent_as_it_is() {
        let memory = Bytes::from(vec![7u8; SMALLEST_SHARED]);
        let mut w = SegmentWriter::new(2 + memory.len() + 1).unwrap();
        w.buffer().put_slice(b"ab");
        w.put_shared(memory.clone());
        w.put_shared(Bytes::from_static(b"c"));
        let segments = w.finish();
        assert_eq!(segments.parts.len(), 3);
        assert_eq!(segments.parts[1].as_ptr(), memory.as_ptr());
        assert_eq!(segments.concat()[..PREFIX + 3], *b"\0\0\0\x40\x03ab\x07");
        assert!(SegmentWriter::new(LARGEST_MESSAGE + 1).is_err());
    }
}
