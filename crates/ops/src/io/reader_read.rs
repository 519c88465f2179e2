//! `ReaderRead`: the next key and value of a reader; for the handle that is a reference.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderRead(reader_handle: Ref(string), queue_handle: Ref(string)) -> (key: string, value: string)",
    doc: "The next pair; takes work from the queue when it has none, and waits for it.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| reader_kernel::read(false))],
    ..WORDS
};
