//! `StackPush`: puts a tensor on a stack.

use super::tensor_stack;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::Result;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StackPush(handle: Ref(string), elem: T) -> (output: T)",
    attrs: "T: type; swap_memory: bool = false",
    doc: "The tensor, after it was put on the stack.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_stack::push).inline()],
    ..WORDS
};

fn shape(c: &mut ShapeContext) -> Result<()> {
    let element = c.input(1);
    c.set_output(0, element);
    Ok(())
}
