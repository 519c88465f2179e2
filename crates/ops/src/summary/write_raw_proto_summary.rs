//! `WriteRawProtoSummary`: writes serialised summaries.

use super::file_writer::{step, writer};
use crate::prelude::*;
use ferroflow_proto::event::What;
use ferroflow_proto::{Message, Summary};
use ferroflow_tensor::error::data_loss;

pub const OP: OpSpec = OpSpec {
    signature: "WriteRawProtoSummary(writer: resource, step: int64, tensor: string) -> ()",
    attrs: "",
    flags: "stateful",
    doc: "Writes the values of all serialised `Summary`s in `tensor` as one event.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let mut all = Summary::default();
    for (i, bytes) in ctx.input(2)?.as_strings()?.iter().enumerate() {
        let one = Summary::decode(bytes.clone());
        let one = one.map_err(|_| data_loss(format!("Bad tf.compat.v1.Summary binary proto tensor string at index {i}")))?;
        all.value.extend(one.value);
    }
    writer(ctx)?.add(step(ctx)?, What::Summary(all))
}
