//! The head of a line's frame: what the frame is, which call it is about, how long its message is.

use crate::segments::LARGEST_MESSAGE;
use std::io::{Error, ErrorKind, Result};

/// Bytes of a frame's head.
pub(super) const HEAD: usize = 16;
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
    pub(super) fn is_of_a_call(self) -> bool {
        matches!(self, Kind::Request | Kind::Response | Kind::Cancel)
    }
}

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

    /// Errors: `InvalidData` for what is no head.
    pub(super) fn from_bytes(b: &[u8; HEAD]) -> Result<Head> {
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

/// The error for what is no frame.
pub(super) fn malformed(what: String) -> Error {
    Error::new(ErrorKind::InvalidData, format!("the peer sent {what}"))
}
