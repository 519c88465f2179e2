//! `WriteGraphSummary`: writes a graph.

use super::file_writer::{step, string, writer};
use crate::prelude::*;
use ferroflow_proto::event::What;
use ferroflow_proto::{GraphDef, Message};
use ferroflow_tensor::error::data_loss;

pub const OP: OpSpec = OpSpec {
    signature: "WriteGraphSummary(writer: resource, step: int64, tensor: string) -> ()",
    attrs: "",
    flags: "stateful",
    doc: "Writes a serialised `GraphDef`.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let graph = string(ctx, 2, "tensor")?;
    GraphDef::decode(graph.clone()).map_err(|_| data_loss("Bad tf.GraphDef binary proto scalar string"))?;
    writer(ctx)?.add(step(ctx)?, What::GraphDef(graph.clone()))
}
