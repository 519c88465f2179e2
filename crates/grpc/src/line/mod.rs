//! The line: calls between two ferroflow tasks without HTTP/2.
//!
//! A task that finds, by the headers of a first response, that its peer is ferroflow too opens a second connection to it and makes its
//! further calls there: the same methods, the same messages, in frames of 16 bytes and the message. On one machine it is a Unix socket.
//! That saves most of a small call's time, and a tensor is read from the socket straight into the memory that it will live in. Whatever
//! goes wrong with opening a line, the calls go over HTTP/2 as they would with TF's servers.
//!
//! A frame: its kind (1 byte), a code (1), the length of the path (2, little-endian, of requests), the length of the message (4), the
//! number of the call (8); then the path, then the message. A response whose code is not 0 holds a byte that tells whether the error is
//! derived, and the error's text. An opening of 16 bytes comes first.

mod client;
mod errors;
mod frames;
mod head;
mod lending;
mod server;
mod socket;
mod writer;

pub(crate) use client::{Line, Request};
pub(crate) use server::{Door, serve};

/// What a client sends first.
pub(crate) const OPENING: &[u8; 16] = b"FERROFLOW LINE 2";
/// So many of its bytes tell it from HTTP.
pub(crate) const OPENING_TOLD_BY: &[u8; 3] = b"FER";
