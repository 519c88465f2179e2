//! The gradient of `Svd`, of real matrices and without the vectors that go beyond the singular values (TF: `_SvdGrad`).

use super::backward::{add, adjoint, inverse_gaps, mul, product, spread, sub};
use crate::math::backward::{apply, number};
use crate::prelude::*;

/// With F the inverse gaps between squares of singular values, the sum of
/// U diag(ds) V*, U (F ∘ (U* dU - dU* U)) S V*, (I - U U*) dU S⁻¹ V*, and the same two with V for U and turned round.
///
/// Errors: `Unimplemented` for complex matrices, and for square factors of matrices that are not square.
pub(super) fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let x = op.input(0);
    let (has_vectors, is_full) = op.with_attrs(|a| -> Result<_> { Ok((a.bool("compute_uv")?, a.bool("full_matrices")?)) })?;
    let all = if has_vectors { op.clone() } else { x.graph().op("Svd").input(x.clone()).attr("compute_uv", true).build() };
    let (s, u, v) = (all.output(0), all.output(1), all.output(2));
    let ds = mul(&spread(&grads.dense(0), false), &u);
    let mut dx = product(&ds, false, &v, true);
    let [du, dv] = [1, 2].map(|i| grads.get(i).is_some().then(|| grads.dense(i)));
    if has_vectors && (du.is_some() || dv.is_some()) {
        if x.dtype().is_complex() {
            return Err(unimplemented("the gradient of the singular vectors of complex matrices is not defined"));
        }
        let known = x.shape();
        let square = known.rank().is_some_and(|r| r > 1 && known.dim(r - 1).is_some() && known.dim(r - 1) == known.dim(r - 2));
        if is_full && !square {
            return Err(unimplemented("the gradient of Svd with full_matrices is defined for square matrices only"));
        }
        let f = inverse_gaps(&apply("Square", &[&s]));
        let inverse = apply("DivNoNan", &[&number(&s, 1.0), &s]);
        let (row, inverse_row) = (spread(&s, false), spread(&inverse, false));
        // What the vectors `w` with gradient `dw` add: the first part stands between U and V*, the second between `w` and the other.
        let parts = |w: &Output, dw: &Output| {
            let turned = product(w, true, dw, false);
            let between = mul(&f, &sub(&turned, &adjoint(&turned)));
            // (I - w w*) dw S⁻¹
            let outside = mul(&sub(dw, &product(w, false, &turned, false)), &inverse_row);
            (mul(&between, &row), outside)
        };
        if let Some(du) = &du {
            let (between, outside) = parts(&u, du);
            dx = add(&dx, &product(&add(&product(&u, false, &between, false), &outside), false, &v, true));
        }
        if let Some(dv) = &dv {
            // S (F ∘ …) is the adjoint of (F ∘ …) S: F and what is in brackets both change their sign when turned.
            let (between, outside) = parts(&v, dv);
            dx = add(&dx, &product(&u, false, &add(&product(&v, false, &between, false), &outside), true));
        }
    }
    Ok(vec![Some(dx.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_gradient_through;

    #[test]
    fn it_agrees_with_differences() {
        for dims in [[3i64, 2], [2, 3], [3, 3]] {
            let n = dims[0] * dims[1];
            let x = tensor(&dims, &(0..n).map(|i| (i as f64 * 0.618).fract() * 2.0 - 0.7).collect::<Vec<_>>());
            check_gradient_through(std::slice::from_ref(&x), |graph, inputs| {
                // Without the vectors' signs, which are arbitrary: u and v by their squares, and by products of both.
                let all = graph.op("Svd").input(inputs[0].clone()).build();
                let [u, v] = [1, 2].map(|i| apply("Square", &[&all.output(i)]));
                let both = product(&all.output(1), false, &all.output(2), true);
                let squares = product(&mul(&u, &spread(&all.output(0), false)), false, &v, true);
                graph.op("AddV2").inputs([both, squares]).build()
            });
            check_gradient_through(&[x], |graph, inputs| {
                let node = graph.op("Svd").input(inputs[0].clone()).attr("compute_uv", false).build();
                graph.op("Identity").input(node.output(0)).build()
            });
        }
    }
}
