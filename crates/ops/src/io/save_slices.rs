//! `SaveSlices`: tensors and parts of tensors into a checkpoint file of the V1 format.

use super::v1_checkpoint::save;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string, data: T) -> ()",
    attrs: "T: list(type) >= 1",
    flags: "stateful",
    doc: "Writes `data` under `tensor_names` to the file; a non-empty element of `shapes_and_slices` says which part of a larger tensor it is.",
    shape: shape::none,
    kernels: &[Kernel::cpu(|ctx| save(ctx, true)).heavy()],
    ..WORDS
};
