//! The gradient of `Qr` (TF: `_QrGrad`).

use super::backward::{add, adjoint, band, product, sub};
use crate::prelude::*;

/// For a matrix with at least as many rows as columns: (dQ + Q C) R⁻*, where C is M = R dR* - dQ* Q with its lower triangle
/// mirrored up.
fn of_tall(q: &Output, r: &Output, dq: &Output, dr: &Output) -> Output {
    let m = sub(&product(r, false, dr, true), &product(dq, true, q, false));
    let lower = band(&m, -1, 0);
    let mirrored = adjoint(&sub(&lower, &band(&m, 0, 0)));
    let sum = add(dq, &product(q, false, &add(&lower, &mirrored), false));
    let solved = q.graph().op("MatrixTriangularSolve").inputs([r.clone(), adjoint(&sum)]).attr("lower", false).output();
    adjoint(&solved)
}

/// The first `n` columns of matrices, or those behind them.
fn columns(x: &Output, n: i64, behind: bool, rank: usize) -> Output {
    let graph = x.graph();
    let mut begin = vec![0i32; rank];
    let mut size = vec![-1i32; rank];
    if behind {
        begin[rank - 1] = n as i32;
    } else {
        size[rank - 1] = n as i32;
    }
    graph.op("Slice").inputs([x.clone(), graph.constant_vector(&begin), graph.constant_vector(&size)]).output()
}

/// Errors: `Unimplemented` if the sizes of the matrices are not known, and for a square q of matrices that are not square.
pub(super) fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, q, r) = (op.input(0), op.output(0), op.output(1));
    let (dq, dr) = (grads.dense(0), grads.dense(1));
    let known = x.shape();
    let sizes = known.rank().filter(|rank| *rank > 1).and_then(|rank| Some((rank, known.dim(rank - 2)?, known.dim(rank - 1)?)));
    let Some((rank, height, width)) = sizes else {
        return Err(unimplemented("the gradient of Qr is defined for matrices of known size only"));
    };
    if height > width && op.with_attrs(|a| a.bool("full_matrices"))? {
        return Err(unimplemented("the gradient of Qr with full_matrices is not defined for more rows than columns"));
    }
    if height >= width {
        return Ok(vec![Some(of_tall(&q, &r, &dq, &dr).into())]);
    }
    // x = [a b] and r = [u v]: a = q u and b = q v, so that b adds b dv* to the gradient of q.
    let b = columns(&x, height, true, rank);
    let (u, du) = (columns(&r, height, false, rank), columns(&dr, height, false, rank));
    let dv = columns(&dr, height, true, rank);
    let dq = add(&dq, &product(&b, false, &dv, true));
    let da = of_tall(&q, &u, &dq, &du);
    let db = product(&q, false, &dv, false);
    let axis = x.graph().constant(-1i32);
    let dx = x.graph().op("ConcatV2").input_list(vec![da, db]).input(axis).output();
    Ok(vec![Some(dx.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_gradient_through;

    #[test]
    fn it_agrees_with_differences() {
        for dims in [[1i64, 3, 2], [2, 2, 3], [1, 3, 3]] {
            let n = dims.iter().product::<i64>();
            let x = tensor(&dims, &(0..n).map(|i| (i as f64 * 0.618).fract() * 2.0 - 0.7).collect::<Vec<_>>());
            check_gradient_through(&[x], |graph, inputs| {
                let sizes = graph.constant_vector(&dims.map(|d| d as i32));
                let known = graph.op("Reshape").inputs([inputs[0].clone(), sizes]).output();
                graph.op("Qr").input(known).build()
            });
        }
    }
}
