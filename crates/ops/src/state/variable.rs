//! `Variable`: the older form of `VariableV2`.

use super::ref_variable;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::PartialShape;
use ferroflow_tensor::Result;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "Variable() -> (ref: Ref(dtype))",
    attrs: "shape: shape; dtype: type; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "As VariableV2; a scalar shape attribute means that nothing is known of the shape.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(ref_variable::build).inline()],
    ..WORDS
};

/// Old graphs write an unknown shape as that of a scalar.
fn shape(c: &mut ShapeContext) -> Result<()> {
    let declared = c.node().attrs.shape("shape")?.clone();
    c.set_output(0, if declared.rank() == Some(0) { PartialShape::unknown() } else { declared });
    Ok(())
}
