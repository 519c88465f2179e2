//! The shape functions of the control-flow primitives, which all pass tensors on.

use crate::prelude::*;

/// Every output has the shape (and handle contents) of the first input.
///
/// Errors: none.
pub(crate) fn each_like_first(c: &mut ShapeContext) -> Result<()> {
    let (s, h) = (c.input(0), c.input_handle(0));
    for i in 0..c.node().output_types.len() {
        c.set_output(i, s.clone());
        c.set_output_handle(i, h.clone());
    }
    Ok(())
}

/// A loop variable may change its shape from one iteration to the next, so nothing but its handle contents is known of it.
///
/// Errors: none.
pub(crate) fn loop_variable(c: &mut ShapeContext) -> Result<()> {
    let h = c.input_handle(0);
    if c.node().attrs.bool("is_constant").unwrap_or(false) {
        let s = c.input(0);
        c.set_output(0, s);
    }
    c.set_output_handle(0, h);
    Ok(())
}

/// Output 0 is whichever input arrives, output 1 says which.
///
/// Errors: none.
pub(crate) fn merge(c: &mut ShapeContext) -> Result<()> {
    let mut s = c.input(0);
    for i in 1..c.num_inputs() {
        s = s.widen(&c.input(i));
    }
    let h = c.input_handle(0);
    c.set_output(0, s);
    c.set_output_handle(0, h);
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_knows_what_its_inputs_have_in_common() {
        let g = crate::graph();
        let a = g.placeholder(DType::Float, PartialShape::new(&[Some(2), Some(3)]));
        let b = g.placeholder(DType::Float, PartialShape::new(&[Some(2), Some(4)]));
        let m = g.op("Merge").input_list([a, b]).build();
        g.check().unwrap();
        assert_eq!(m.output(0).shape(), PartialShape::new(&[Some(2), None]));
        assert_eq!(m.output(1).shape(), PartialShape::scalar());
    }

    #[test]
    fn a_switch_passes_the_shape_to_both_sides() {
        let g = crate::graph();
        let a = g.placeholder(DType::Float, PartialShape::new(&[Some(2)]));
        let s = g.op("Switch").input(a).input(g.constant(true)).build();
        g.check().unwrap();
        assert_eq!(s.output(0).shape(), PartialShape::new(&[Some(2)]));
        assert_eq!(s.output(1).shape(), PartialShape::new(&[Some(2)]));
    }
}
