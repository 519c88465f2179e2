//! `GetSessionHandleV2`: keeps a tensor in the session, named by a resource.

use super::session_state::no_session_state;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GetSessionHandleV2(value: T) -> (handle: resource)",
    attrs: "T: type",
    flags: "stateful",
    doc: "Keeps the value in the session; the handle names it in later steps.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|_| Err(no_session_state("GetSessionHandleV2")))],
    ..WORDS
};
