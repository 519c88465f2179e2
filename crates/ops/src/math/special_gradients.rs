//! Gradients of the incomplete integrals: what stands under the integral, at its end (TF: `_IgammaGrad`, `_BetaincGrad`).

use super::backward::{Pair, apply, number, reduced};
use crate::prelude::*;

fn sub(x: &Output, y: &Output) -> Output {
    apply("Sub", &[x, y])
}

fn add(x: &Output, y: &Output) -> Output {
    apply("AddV2", &[x, y])
}

/// Of `Igamma(a, x)`.
pub(super) fn igamma(p: &Pair) -> (Output, Output) {
    let by_a = apply("IgammaGradA", &[&p.x, &p.y]);
    let power = apply("Xlogy", &[&sub(&p.x, &number(&p.x, 1.0)), &p.y]);
    let by_x = apply("Exp", &[&sub(&sub(&power, &p.y), &apply("Lgamma", &[&p.x]))]);
    (apply("Mul", &[&by_a, &p.dz]), apply("Mul", &[&by_x, &p.dz]))
}

/// Of `Igammac(a, x)`, which is 1 - `Igamma(a, x)`.
pub(super) fn igammac(p: &Pair) -> (Output, Output) {
    let (by_a, by_x) = igamma(p);
    (apply("Neg", &[&by_a]), apply("Neg", &[&by_x]))
}

/// Of `Betainc(a, b, x)` by x only, as in TF.
///
/// Errors: none.
pub(super) fn betainc(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (a, b, x, z) = (op.input(0), op.input(1), op.input(2), op.output(0));
    let lgamma = |x: &Output| apply("Lgamma", &[x]);
    let log_beta = sub(&add(&lgamma(&a), &lgamma(&b)), &lgamma(&add(&a, &b)));
    let one = number(&x, 1.0);
    let left = apply("Xlogy", &[&sub(&a, &one), &x]);
    let right = apply("Xlog1py", &[&sub(&b, &one), &apply("Neg", &[&x])]);
    let density = apply("Exp", &[&sub(&add(&left, &right), &log_beta)]);
    let dx = apply("Mul", &[&density, &grads.dense(0)]);
    // A scalar x is repeated; then its gradient is the sum.
    let dx = reduced(&z, &x, &z, dx.clone(), dx).pop().flatten();
    Ok(vec![None, None, dx])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_differences() {
        let a = || tensor(&[2], &[0.7, 2.5]);
        for op in ["Igamma", "Igammac"] {
            for x in [tensor(&[2], &[0.4, 1.9]), Tensor::scalar(1.3)] {
                check_gradient(&[a(), x], |graph, inputs| graph.op(op).inputs(inputs.to_vec()).build());
            }
        }
        for x in [tensor(&[2], &[0.3, 0.8]), Tensor::scalar(0.4)] {
            check_gradient(&[x], |graph, inputs| {
                let given = [graph.constant_tensor(a()), graph.constant_tensor(tensor(&[2], &[1.5, 3.0])), inputs[0].clone()];
                graph.op("Betainc").inputs(given).build()
            });
        }
    }
}
