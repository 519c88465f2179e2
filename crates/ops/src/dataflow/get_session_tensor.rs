//! `GetSessionTensor`: a tensor that the session keeps.

use super::session_state::no_session_state;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GetSessionTensor(handle: string) -> (value: dtype)",
    attrs: "dtype: type",
    flags: "stateful",
    doc: "The tensor that an earlier step had the session keep under this handle.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|_| Err(no_session_state("GetSessionTensor")))],
    ..WORDS
};
