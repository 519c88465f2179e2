//! The shape function of ops that call functions and may declare the shapes of the results.

use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// The shapes that attribute `output_shapes` declares; nothing is known without it.
///
/// Errors: `InvalidArgument` if there is not one shape per result.
pub(super) fn declared(c: &mut ShapeContext) -> Result<()> {
    let shapes = c.node().attrs.shapes("output_shapes")?.to_vec();
    let results = c.node().output_types.len();
    if !shapes.is_empty() && shapes.len() != results {
        return Err(invalid_argument(format!("`output_shapes` must be the same length as num outputs ({} vs. {results})", shapes.len())));
    }
    shapes.into_iter().enumerate().for_each(|(i, shape)| c.set_output(i, shape));
    Ok(())
}
