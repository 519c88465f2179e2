//! `_DeviceRetval`: `_Retval` in the memory of the device.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_DeviceRetval(input: T) -> ()",
    attrs: "T: type; index: int >= 0",
    flags: "stateful",
    doc: "Makes `input` result `index` of the run.",
    shape: shape::none,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
