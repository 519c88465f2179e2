//! `InitializeTableFromTextFileV2`: sets a table from the lines of a file.

use super::lookup_table_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "InitializeTableFromTextFileV2(table_handle: resource, filename: string) -> ()",
    attrs: "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = \"\\t\"; offset: int = 0",
    flags: "stateful",
    doc: "Keys and values are columns of the lines (index from 0), whole lines (−2) or line numbers (−1).",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(lookup_table_kernel::initialize_from_text_file).heavy()],
    ..WORDS
};
