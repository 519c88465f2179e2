//! Gradients of segment reductions (TF: `_SegmentSumGrad`, `_GatherDropNegatives`, `_UnsortedSegmentMinOrMaxGrad`, …).

use super::backward::{apply, number, where_true};
use crate::prelude::*;

/// Rows of `x`, by number.
pub(crate) fn gather(x: &Output, rows: &Output) -> Output {
    apply("GatherV2", &[x, rows, &x.graph().constant(0i32)])
}

/// A vector of as many ones as `n` says.
fn ones(n: &Output) -> Output {
    apply("Fill", &[&apply("Reshape", &[n, &n.graph().constant_vector(&[1i32])]), &n.graph().constant(1i32)])
}

fn cast_like(x: Output, like: &Output) -> Output {
    like.graph().op("Cast").input(x).attr("DstT", like.dtype()).output()
}

/// `ids` with a dimension of size 1 for each one that `x` has beyond theirs.
fn as_column(ids: &Output, x: &Output) -> Output {
    let missing = apply("Sub", &[&apply("Rank", &[x]), &apply("Rank", &[ids])]);
    let parts = [apply("Shape", &[ids]), ones(&missing)];
    let shape = x.graph().op("ConcatV2").input_list(parts).input(x.graph().constant(0i32)).output();
    apply("Reshape", &[ids, &shape])
}

/// The gradient of the mean: that of the sum, divided by the number of rows.
pub(crate) fn of_mean(op: &Operation, dy: &Output) -> Output {
    let (x, ids) = (op.input(0), op.input(1));
    let column = as_column(&ids, &x);
    let one = apply("Fill", &[&apply("Shape", &[&column]), &number(dy, 1.0)]);
    let counts = apply("SegmentSum", &[&one, &ids]);
    gather(&apply("DivNoNan", &[dy, &counts]), &ids)
}

/// The gradient of the largest or smallest elements: those that are equally large share it.
pub(crate) fn of_extreme(op: &Operation, dy: &Output) -> Output {
    let (x, ids) = (op.input(0), op.input(1));
    let chosen = apply("Equal", &[&x, &gather(&op.output(0), &ids)]);
    let counts = apply("SegmentSum", &[&cast_like(chosen.clone(), dy), &ids]);
    where_true(&chosen, &gather(&apply("DivNoNan", &[dy, &counts]), &ids))
}

/// Rows of `x` by number; zeros for a negative one. Beside them, where the number is not negative.
fn gather_known(x: &Output, ids: &Output) -> (Output, Output) {
    let rows = gather(x, &apply("Maximum", &[ids, &number(ids, 0.0)]));
    let known = as_column(&apply("GreaterEqual", &[ids, &number(ids, 0.0)]), &rows);
    (where_true(&known, &rows), known)
}

/// The gradient of an unsorted sum.
pub(crate) fn of_unsorted_sum(op: &Operation, dy: &Output) -> Output {
    gather_known(dy, &op.input(1)).0
}

/// The gradient of unsorted largest or smallest elements.
pub(crate) fn of_unsorted_extreme(op: &Operation, dy: &Output) -> Output {
    let (x, ids, count) = (op.input(0), op.input(1), op.input(2));
    let (best, known) = gather_known(&op.output(0), &ids);
    let chosen = apply("LogicalAnd", &[&apply("Equal", &[&x, &best]), &known]);
    let counts = apply("UnsortedSegmentSum", &[&cast_like(chosen.clone(), dy), &ids, &count]);
    where_true(&chosen, &gather_known(&apply("DivNoNan", &[dy, &counts]), &ids).0)
}
