//! `SymbolicGradient`: the gradient of a function. It is replaced by the nodes that compute it before a step runs.

use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "SymbolicGradient(input: Tin) -> (output: Tout)",
    attrs: "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
    doc: "The gradients of the arguments of f, from its arguments and the gradients of its results.",
    shape: arguments,
    kernels: &[Kernel::cpu(refuse)],
    ..WORDS
};

/// The gradient of an argument has the argument's shape.
fn arguments(c: &mut ShapeContext) -> Result<()> {
    for i in 0..c.node().output_types.len().min(c.num_inputs()) {
        let shape = c.input(i);
        c.set_output(i, shape);
    }
    Ok(())
}

/// What remains of it could not be expanded.
fn refuse(ctx: &mut OpKernelContext) -> Result<()> {
    let function = &ctx.node.attrs.func("f")?.name;
    Err(unimplemented(format!("the gradient of function '{function}', which is recursive, unknown or marked _noinline")))
}
