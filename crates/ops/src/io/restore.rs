//! `Restore`: a tensor out of a checkpoint of the V1 format.

use super::v1_checkpoint::restore;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Restore(file_pattern: string, tensor_name: string) -> (tensor: dt)",
    attrs: "dt: type; preferred_shard: int = -1",
    flags: "stateful",
    doc: "The tensor of this name in the files that match the pattern.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(|ctx| restore(ctx, false)).heavy()],
    ..WORDS
};
