//! `ReaderReadUpTo`: the next keys and values of a reader; for the handle that is a reference.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderReadUpTo(reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64) -> (keys: string, values: string)",
    doc: "Up to `num_records` pairs, fewer where a piece of work ends; takes work from the queue when it has none, and waits for it.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| reader_kernel::read(true))],
    ..WORDS
};

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(2, 0)?;
    c.set_output(0, PartialShape::of_rank(1));
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}
