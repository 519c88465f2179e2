//! The broadcast of two tensors against each other (TF: `BCast`), from shapes to the plan of the loops.

use crate::prelude::*;
use ferroflow_math::Broadcast;
use smallvec::SmallVec;

/// The dimensions of a shape as lengths.
pub(crate) fn lens(shape: &Shape) -> SmallVec<[usize; 6]> {
    (0..shape.rank()).map(|i| shape.dim(i)).collect()
}

/// How tensors of these shapes combine, and the shape of the result.
///
/// Errors: `InvalidArgument` `Incompatible shapes: [2,3] vs. [4]`.
pub(crate) fn plan(x: &Shape, y: &Shape) -> Result<(Broadcast, Shape)> {
    if x == y {
        return Ok((Broadcast::same(x.num_elements()), x.clone()));
    }
    let shape = Shape::broadcast(x, y)?;
    match Broadcast::new(&lens(x), &lens(y)) {
        Some(plan) => Ok((plan, shape)),
        None => Err(invalid_argument(format!("Incompatible shapes: {x} vs. {y}"))),
    }
}

/// Calls `body` with the places of both operands and of the result, for every element of the result.
pub(crate) fn for_each_pair(plan: &Broadcast, mut body: impl FnMut(usize, usize, usize)) {
    plan.for_each_run(0..plan.len(), |run| {
        for i in 0..run.len {
            let at = |start: usize, moves: bool| if moves { start + i } else { start };
            body(at(run.left, run.left_moves), at(run.right, run.right_moves), run.out + i);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_rules_of_broadcasting() {
        let (plan, shape) = plan(&Shape::new(&[2, 1]).unwrap(), &Shape::new(&[3]).unwrap()).unwrap();
        let mut places = Vec::new();
        for_each_pair(&plan, |l, r, o| places.push((l, r, o)));
        assert_eq!(shape.dims(), [2, 3]);
        assert_eq!(places, [(0, 0, 0), (0, 1, 1), (0, 2, 2), (1, 0, 3), (1, 1, 4), (1, 2, 5)]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_named() {
        let e = plan(&Shape::new(&[2, 3]).unwrap(), &Shape::new(&[4]).unwrap()).unwrap_err();
        assert_eq!(e.bare_message(), "Incompatible shapes: [2,3] vs. [4]");
    }
}
