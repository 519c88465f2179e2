//! `MakeIterator`: starts an iterator over.

use super::dataset::input_dataset;
use super::iterator_resource::iterator_at;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MakeIterator(dataset: variant, iterator: resource) -> ()",
    flags: "stateful",
    doc: "Sets the iterator before the first element of the dataset; what it did before ends.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let dataset = input_dataset(ctx, 0)?;
    iterator_at(ctx.resources(), ctx.input(1)?)?.set(&dataset, ctx.step)
}
