//! `Save`: tensors into a checkpoint file of the V1 format.

use super::v1_checkpoint::save;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Save(filename: string, tensor_names: string, data: T) -> ()",
    attrs: "T: list(type) >= 1",
    flags: "stateful",
    doc: "Writes `data` under `tensor_names` to the file. The file appears whole or not at all.",
    shape: shape::none,
    kernels: &[Kernel::cpu(|ctx| save(ctx, false)).heavy()],
    ..WORDS
};
