//! What gradients of matrix functions are built with; all for batches of matrices of unknown rank.

use crate::math::backward::{apply, conj, number};
use crate::prelude::*;

/// `a b`, each as its adjoint if so marked.
pub(super) fn product(a: &Output, adjoint_a: bool, b: &Output, adjoint_b: bool) -> Output {
    let node = a.graph().op("BatchMatMulV2").inputs([a.clone(), b.clone()]);
    node.attr("adj_x", adjoint_a).attr("adj_y", adjoint_b).output()
}

/// The adjoint of matrices.
pub(super) fn adjoint(x: &Output) -> Output {
    let turned = x.graph().op("Einsum").input_list(vec![x.clone()]).attr("equation", "...ab->...ba").output();
    conj(&turned)
}

/// The part of matrices with so many diagonals below and above the main one; −1: all.
pub(super) fn band(x: &Output, below: i64, above: i64) -> Output {
    let graph = x.graph();
    apply("MatrixBandPart", &[x, &graph.constant(below), &graph.constant(above)])
}

/// Vectors as rows of matrices (or, as `columns`, as columns), which go with matrices by being repeated.
pub(super) fn spread(x: &Output, columns: bool) -> Output {
    apply("ExpandDims", &[x, &x.graph().constant(if columns { -1i32 } else { -2 })])
}

/// `1 / (values_j - values_i)`, 0 where they are equal.
pub(super) fn inverse_gaps(values: &Output) -> Output {
    let gaps = apply("Sub", &[&spread(values, false), &spread(values, true)]);
    if gaps.dtype().is_complex() {
        // `DivNoNan` is exact for them, too.
        return apply("DivNoNan", &[&apply("OnesLike", &[&gaps]), &gaps]);
    }
    apply("DivNoNan", &[&number(&gaps, 1.0), &gaps])
}

pub(super) fn add(x: &Output, y: &Output) -> Output {
    apply("AddV2", &[x, y])
}

pub(super) fn sub(x: &Output, y: &Output) -> Output {
    apply("Sub", &[x, y])
}

pub(super) fn mul(x: &Output, y: &Output) -> Output {
    apply("Mul", &[x, y])
}
