//! Shape functions of the list ops.

use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::{PartialShape, Result};

/// One list.
pub(super) fn handle(c: &mut ShapeContext) -> Result<()> {
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

/// Lists in the shape of the first input's.
pub(super) fn like_first(c: &mut ShapeContext) -> Result<()> {
    let shape = c.input(0);
    c.set_output(0, shape);
    Ok(())
}

/// A list and an element of it.
pub(super) fn popped(c: &mut ShapeContext) -> Result<()> {
    handle(c)?;
    if let Some(element) = element(c, 1)? {
        c.set_output(1, element);
    }
    Ok(())
}

/// Elements below each other; the last input says what their shape is.
pub(super) fn stacked(c: &mut ShapeContext) -> Result<()> {
    let last = c.num_inputs().saturating_sub(1);
    let rows = if last > 1 { c.input(1).dim(0) } else { c.node().attrs.int("num_elements").ok().filter(|&n| n >= 0) };
    if let Some(dims) = element(c, last)?.as_ref().and_then(|e| e.dims()) {
        c.set_output(0, PartialShape::new(&[&[rows], dims].concat()));
    }
    Ok(())
}

/// Elements joined, and a length of each.
pub(super) fn concatenated(c: &mut ShapeContext) -> Result<()> {
    let element = match c.num_inputs() {
        1 => Some(c.node().attrs.shape("element_shape")?.clone()),
        _ => element(c, 1)?,
    };
    if let Some([_, rest @ ..]) = element.as_ref().and_then(|e| e.dims()) {
        c.set_output(0, PartialShape::new(&[&[None], rest].concat()));
    }
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}

/// What a constant input says of the shape of elements.
fn element(c: &ShapeContext, input: usize) -> Result<Option<PartialShape>> {
    match c.constant(input) {
        Some(constant) if constant.rank() == 1 => PartialShape::from_numbers(&constant.to_i64s()?).map(Some),
        _ => Ok(None),
    }
}
