//! `DeleteSessionTensor`: has the session forget a tensor.

use super::session_state::no_session_state;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DeleteSessionTensor(handle: string) -> ()",
    attrs: "",
    flags: "stateful",
    doc: "Has the session forget the tensor of this handle.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|_| Err(no_session_state("DeleteSessionTensor")))],
    ..WORDS
};
