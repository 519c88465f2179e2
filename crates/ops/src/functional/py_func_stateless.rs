//! `PyFuncStateless`: a Python function on arrays, without effects.

use super::python_callback::needs_the_python_process;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PyFuncStateless(input: Tin) -> (output: Tout)",
    attrs: "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
    doc: "Calls the Python function registered as `token` in the client's process; equal inputs give equal outputs.",
    shape: shape::unknown,
    kernels: &[Kernel::built(|c| Err(needs_the_python_process(c, "run it in the client and feed what it returns, or write it as ops")))],
    ..WORDS
};
