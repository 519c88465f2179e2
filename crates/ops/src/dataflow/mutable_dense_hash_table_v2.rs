//! `MutableDenseHashTableV2`: makes a table of tensors.

use super::lookup_table_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MutableDenseHashTableV2(empty_key: key_dtype, deleted_key: key_dtype) -> (table_handle: resource)",
    attrs: "container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type; value_shape: shape = []; initial_num_buckets: int = 131072; max_load_factor: float = 0.800000011920929",
    flags: "stateful",
    doc: "The handle of a table of tensors of one shape, to which pairs can be added at any time. The keys given are set aside: nobody may use them.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(lookup_table_kernel::make_dense).inline()],
    ..WORDS
};
