//! What gradients of element-wise ops are built with (TF: `math_grad.py`).

use crate::array::dims::shape_of;
use crate::prelude::*;

/// A node of this op, its first output.
pub(crate) fn apply(op: &str, inputs: &[&Output]) -> Output {
    inputs[0].graph().op(op).inputs(inputs.iter().map(|&x| x.clone())).output()
}

/// The conjugate; a real number is its own.
pub(crate) fn conj(x: &Output) -> Output {
    if x.dtype().is_complex() { apply("Conj", &[x]) } else { x.clone() }
}

/// A scalar of the type of `x`.
pub(crate) fn number(x: &Output, value: f64) -> Output {
    x.graph().constant_of_type(x.dtype(), value)
}

/// The gradient of an op of one argument: `f` makes it of argument, result and incoming gradient.
///
/// Errors: none.
pub(crate) fn of_one(op: &Operation, grads: &OutGrads, f: fn(&Output, &Output, &Output) -> Output) -> Result<Vec<Option<Grad>>> {
    let dx = f(&op.input(0), &op.output(0), &grads.dense(0));
    Ok(vec![Some(dx.into())])
}

/// Arguments, result and incoming gradient of an op of two arguments.
pub(crate) struct Pair {
    pub(crate) x: Output,
    pub(crate) y: Output,
    pub(crate) z: Output,
    pub(crate) dz: Output,
}

impl Pair {
    pub(crate) fn of(op: &Operation, grads: &OutGrads) -> Pair {
        Pair { x: op.input(0), y: op.input(1), z: op.output(0), dz: grads.dense(0) }
    }
}

/// The gradient of a broadcasting op of two arguments: `f` makes the gradients in the shape of the result.
///
/// Errors: none.
pub(crate) fn of_two(op: &Operation, grads: &OutGrads, f: fn(&Pair) -> (Output, Output)) -> Result<Vec<Option<Grad>>> {
    let (dx, dy) = f(&Pair::of(op, grads));
    Ok(reduced(&op.input(0), &op.input(1), &op.output(0), dx, dy))
}

/// The gradient of an op of two arguments of one shape.
///
/// Errors: none.
pub(crate) fn of_equals(op: &Operation, grads: &OutGrads, f: fn(&Pair) -> (Output, Output)) -> Result<Vec<Option<Grad>>> {
    let (dx, dy) = f(&Pair::of(op, grads));
    Ok(vec![Some(dx.into()), Some(dy.into())])
}

/// Sums gradients of the result's shape over the dimensions along which their argument was repeated.
pub(crate) fn reduced(x: &Output, y: &Output, z: &Output, dx: Output, dy: Output) -> Vec<Option<Grad>> {
    let repeated = |o: &Output| z.shape().to_shape().is_none() || o.shape() != z.shape();
    if !repeated(x) && !repeated(y) {
        return vec![Some(dx.into()), Some(dy.into())];
    }
    let (sx, sy) = (shape_of(x), shape_of(y));
    let axes = x.graph().op("BroadcastGradientArgs").inputs([sx.clone(), sy.clone()]).build();
    let sum = |g: Output, o: &Output, shape: Output, i: usize| {
        if repeated(o) { apply("Reshape", &[&apply("Sum", &[&g, &axes.output(i)]), &shape]) } else { g }
    };
    vec![Some(sum(dx, x, sx, 0).into()), Some(sum(dy, y, sy, 1).into())]
}

/// `x` where `condition`, else 0.
pub(crate) fn where_true(condition: &Output, x: &Output) -> Output {
    apply("SelectV2", &[condition, x, &number(x, 0.0)])
}

/// `x` where not `condition`, else 0.
pub(crate) fn where_false(condition: &Output, x: &Output) -> Output {
    apply("SelectV2", &[condition, &number(x, 0.0), x])
}

/// Two `bool` attributes of an operation.
///
/// Errors: `InvalidArgument` if it has them not.
pub(crate) fn flags(op: &Operation, first: &str, second: &str) -> Result<(bool, bool)> {
    op.with_attrs(|a| Ok((a.bool(first)?, a.bool(second)?)))
}
