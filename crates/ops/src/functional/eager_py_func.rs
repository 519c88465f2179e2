//! `EagerPyFunc`: a Python function on eager tensors.

use super::python_callback::needs_the_python_process;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "EagerPyFunc(input: Tin) -> (output: Tout)",
    attrs: "token: string; is_async: bool = false; Tin: list(type) >= 0; Tout: list(type) >= 0",
    flags: "stateful",
    doc: "Calls the Python function registered as `token` in the client's process with eager tensors.",
    shape: shape::unknown,
    kernels: &[Kernel::built(|c| Err(needs_the_python_process(c, "run it in the client and feed what it returns, or write it as ops")))],
    ..WORDS
};
