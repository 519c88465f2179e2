//! `_Arg`: an argument of the function, or the feed of the graph, that is being run.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_Arg() -> (output: T)",
    attrs: "T: type; index: int >= 0",
    flags: "stateful",
    doc: "Argument `index` of the run.",
    shape: handle_from_attrs,
    // The executor takes it from the call itself.
    kernels: &[Kernel::control_flow()],
    ..WORDS
};

/// Nothing is known of an argument, but for what the instantiating caller wrote into `_output_shapes`.
///
/// Errors: none.
pub(crate) fn handle_from_attrs(c: &mut ShapeContext) -> Result<()> {
    if let Ok([s, ..]) = c.node().attrs.shapes("_output_shapes") {
        let s = s.clone();
        c.set_output(0, s);
    }
    Ok(())
}
