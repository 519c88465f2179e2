//! `ImportEvent`: writes a serialised event.

use super::file_writer::{string, writer};
use crate::prelude::*;
use ferroflow_proto::{Event, Message};
use ferroflow_tensor::error::data_loss;

pub const OP: OpSpec = OpSpec {
    signature: "ImportEvent(writer: resource, event: string) -> ()",
    attrs: "",
    flags: "stateful",
    doc: "Writes an `Event` as it is.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let event = Event::decode(string(ctx, 1, "event")?.clone()).map_err(|_| data_loss("Bad tf.Event binary proto tensor string"))?;
    writer(ctx)?.write(&event)
}
