//! The gradient of `SelfAdjointEigV2` (TF: `_SelfAdjointEigV2Grad`).

use super::backward::{add, adjoint, band, inverse_gaps, mul, product, spread, sub};
use crate::math::backward::number;
use crate::prelude::*;

/// V (diag(de) + F ∘ V* dV) V*, where F holds the inverse gaps between eigenvalues; what belongs to the upper triangle, which the op
/// does not look at, is added to the lower one.
///
/// Errors: none.
pub(super) fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let x = op.input(0);
    let has_vectors = op.with_attrs(|a| a.bool("compute_v"))?;
    let all = if has_vectors { op.clone() } else { x.graph().op("SelfAdjointEigV2").input(x.clone()).attr("compute_v", true).build() };
    let (e, v) = (all.output(0), all.output(1));
    // diag(de) V* are the rows of V* times the elements of de.
    let mut inner = mul(&spread(&grads.dense(0), true), &adjoint(&v));
    if has_vectors && grads.get(1).is_some() {
        let turned = mul(&inverse_gaps(&e), &product(&v, true, &grads.dense(1), false));
        inner = add(&inner, &product(&turned, false, &v, true));
    }
    let dx = product(&v, false, &inner, false);
    let lower = band(&add(&dx, &adjoint(&dx)), -1, 0);
    let half = mul(&band(&lower, 0, 0), &number(&x, 0.5));
    Ok(vec![Some(sub(&lower, &half).into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::backward::apply;
    use crate::testing::check_gradient_through;

    #[test]
    fn it_agrees_with_differences() {
        let x = tensor(&[2, 3, 3], &[2.0, 0.3, -0.4, 0.5, -1.0, 0.2, 0.7, -0.1, 0.4, 1.0, 0.0, 0.2, -0.3, 3.0, 0.1, 0.6, 0.9, -2.0]);
        check_gradient_through(std::slice::from_ref(&x), |graph, inputs| {
            // Without the vectors' signs, which are arbitrary.
            let all = graph.op("SelfAdjointEigV2").input(inputs[0].clone()).build();
            let squares = apply("Square", &[&all.output(1)]);
            graph.op("AddV2").inputs([squares, spread(&all.output(0), false)]).build()
        });
        check_gradient_through(&[x], |graph, inputs| {
            let node = graph.op("SelfAdjointEigV2").input(inputs[0].clone()).attr("compute_v", false).build();
            graph.op("Identity").input(node.output(0)).build()
        });
    }
}
