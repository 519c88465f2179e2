//! `ReaderReadV2`: the next key and value of a reader.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderReadV2(reader_handle: resource, queue_handle: resource) -> (key: string, value: string)",
    flags: "stateful",
    doc: "The next pair; takes work from the queue when it has none, and waits for it.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| reader_kernel::read(false))],
    ..WORDS
};
