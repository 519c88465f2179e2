//! `_DeviceArg`: `_Arg` in the memory of the device.

use super::arg;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_DeviceArg() -> (output: T)",
    attrs: "T: type; index: int >= 0",
    flags: "stateful",
    doc: "Argument `index` of the run.",
    shape: arg::handle_from_attrs,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
