//! `_Retval`: a result of the function, or a fetch of the graph, that is being run.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_Retval(input: T) -> ()",
    attrs: "T: type; index: int >= 0",
    flags: "stateful",
    doc: "Makes `input` result `index` of the run.",
    shape: shape::none,
    // The executor hands it to the call itself.
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
