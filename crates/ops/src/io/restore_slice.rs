//! `RestoreSlice`: a part of a tensor out of a checkpoint of the V1 format.

use super::v1_checkpoint::restore;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string) -> (tensor: dt)",
    attrs: "dt: type; preferred_shard: int = -1",
    flags: "stateful",
    doc: "The part that `shape_and_slice` says of the tensor of this name in the files that match the pattern.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(|ctx| restore(ctx, true)).heavy()],
    ..WORDS
};
