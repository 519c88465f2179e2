//! `StatelessRandomGetAlg`: the number of the algorithm that the device prefers.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StatelessRandomGetAlg() -> (alg: int32)",
    flags: "stateful",
    doc: "1, which is Philox.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| {
        ctx.set_output(0, Tensor::scalar(1i32));
        Ok(())
    })
    .inline()],
    ..WORDS
};
