//! `GetSessionHandle`: keeps a tensor in the session.

use super::session_state::no_session_state;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GetSessionHandle(value: T) -> (handle: string)",
    attrs: "T: type",
    flags: "stateful",
    doc: "Keeps the value in the session; the handle names it in later steps.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|_| Err(no_session_state("GetSessionHandle")))],
    ..WORDS
};
