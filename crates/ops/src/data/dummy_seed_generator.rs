//! `DummySeedGenerator`: stands where a seed generator could be: the dataset has one of its own.

use crate::prelude::*;
use ferroflow_tensor::ResourceHandle;

pub const OP: OpSpec = OpSpec {
    signature: "DummySeedGenerator() -> (handle: resource)",
    flags: "stateful",
    doc: "A handle of nothing.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    ctx.set_output(0, Tensor::resource(ResourceHandle { name: "DummySeedGenerator".to_owned(), ..ResourceHandle::default() }));
    Ok(())
}
