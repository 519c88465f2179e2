//! What `Identity` and its kin share: the input goes on as the output, and so does the gradient.

use crate::prelude::*;

/// The kernel: input 0 becomes output 0, without a copy.
pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    ctx.pass_on(0, 0)
}

/// The gradient: it passes through, whatever its form.
pub(crate) fn gradient(_: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![grads.get(0).cloned()])
}
