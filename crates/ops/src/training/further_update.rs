//! `FurtherUpdate`: update rules that are too rare for `ferroflow_math`: plain loops on the calling thread.

use ferroflow_math::{Floating, Real};

/// A rule with its parameters. The formulas are those of TF's `training_ops`.
#[derive(Clone, Copy, Debug)]
pub(super) enum FurtherUpdate<R> {
    /// `ResourceApplyKerasMomentum`. Slots: accum.
    KerasMomentum { lr: R, momentum: R, use_nesterov: bool },
    /// `ResourceApplyAdamWithAmsgrad`, with the bias-corrected step. Slots: m, v, vhat.
    AmsGrad { step: R, beta1: R, beta2: R, epsilon: R },
    /// Slots: m.
    AddSign { lr: R, alpha: R, sign_decay: R, beta: R },
    /// Slots: m.
    PowerSign { lr: R, logbase: R, sign_decay: R, beta: R },
    /// `ApplyFtrl` with `multiply_linear_by_lr`: the second slot holds linear · lr. Slots: accum, linear.
    ScaledFtrl { lr: R, l1: R, l2: R, lr_power: R, l2_shrinkage: R },
}

/// −1, 0 or 1.
fn sign<R: Real>(x: R) -> R {
    if x > R::zero() {
        R::one()
    } else if x < R::zero() {
        -R::one()
    } else {
        R::zero()
    }
}

/// One array of state for each element: the variable, then its slots.
fn each<T: Floating, const SLOTS: usize>(
    var: &mut [T],
    slots: &mut [&mut [T]],
    grad: &[T],
    f: impl Fn(T::Wide, T::Wide, [T::Wide; SLOTS]) -> (T::Wide, [T::Wide; SLOTS]),
) {
    assert_eq!(slots.len(), SLOTS);
    for (i, (v, g)) in var.iter_mut().zip(grad).enumerate() {
        let before = std::array::from_fn(|k| slots[k][i].widen());
        let (new, after) = f(g.widen(), v.widen(), before);
        *v = T::narrow(new);
        after.iter().enumerate().for_each(|(k, &x)| slots[k][i] = T::narrow(x));
    }
}

impl<R: Real> FurtherUpdate<R> {
    /// Updates `var` and its slots. Panics when their number or a length is not the rule's.
    pub(super) fn apply<T: Floating<Wide = R>>(&self, var: &mut [T], slots: &mut [&mut [T]], grad: &[T]) {
        let one = R::one();
        match *self {
            FurtherUpdate::KerasMomentum { lr, momentum, use_nesterov } => each(var, slots, grad, |g, v, [a]| {
                let a = a * momentum - g * lr;
                (if use_nesterov { v + a * momentum - g * lr } else { v + a }, [a])
            }),
            FurtherUpdate::AmsGrad { step, beta1, beta2, epsilon } => each(var, slots, grad, |g, w, [m, v, largest]| {
                let m = m + (g - m) * (one - beta1);
                let v = v + (g * g - v) * (one - beta2);
                let largest = if v > largest { v } else { largest };
                (w - step * m / (largest.sqrt() + epsilon), [m, v, largest])
            }),
            FurtherUpdate::AddSign { lr, alpha, sign_decay, beta } => each(var, slots, grad, |g, v, [m]| {
                let m = m * beta + g * (one - beta);
                (v - lr * (alpha + sign_decay * sign(g) * sign(m)) * g, [m])
            }),
            FurtherUpdate::PowerSign { lr, logbase, sign_decay, beta } => each(var, slots, grad, |g, v, [m]| {
                let m = m * beta + g * (one - beta);
                (v - lr * (logbase * sign_decay * sign(g) * sign(m)).exponential() * g, [m])
            }),
            FurtherUpdate::ScaledFtrl { lr, l1, l2, lr_power, l2_shrinkage } => each(var, slots, grad, |g, v, [n, z]| {
                let two = R::of(2.0);
                let n1 = n + g * g;
                let (root, root1) = (n.powf(-lr_power), n1.powf(-lr_power));
                let z = z + (g + two * l2_shrinkage * v) * lr - (root1 - root) * v;
                let limit = l1 * lr;
                let v = if z.abs() > limit { (sign(z) * limit - z) / (root1 + two * l2 * lr) } else { R::zero() };
                (v, [n1, z])
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(rule: FurtherUpdate<f64>, slots: &[f64]) -> Vec<f64> {
        let mut state: Vec<Vec<f64>> = slots.iter().map(|&s| vec![s]).collect();
        let mut slots: Vec<&mut [f64]> = state.iter_mut().map(|s| &mut s[..]).collect();
        let mut var = [1.0];
        rule.apply(&mut var, &mut slots, &[0.2]);
        std::iter::once(var[0]).chain(state.iter().map(|s| s[0])).collect()
    }

    #[test]
    fn one_step_of_each_rule_follows_its_formula() {
        let close = |got: Vec<f64>, expected: &[f64]| {
            assert!(got.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-12), "{got:?}, not {expected:?}");
        };
        let a = 0.5 * 0.9 - 0.02;
        close(step(FurtherUpdate::KerasMomentum { lr: 0.1, momentum: 0.9, use_nesterov: false }, &[0.5]), &[1.0 + a, a]);
        close(step(FurtherUpdate::KerasMomentum { lr: 0.1, momentum: 0.9, use_nesterov: true }, &[0.5]), &[1.0 + a * 0.9 - 0.02, a]);
        let (m, v) = (0.9 * 0.5 + 0.02, 0.99 * 0.25 + 0.01 * 0.04);
        let ams = FurtherUpdate::AmsGrad { step: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 0.01 };
        close(step(ams, &[0.5, 0.25, 4.0]), &[1.0 - 0.1 * m / 2.01, m, v, 4.0]);
        let m = 0.9 * -0.5 + 0.02;
        close(step(FurtherUpdate::AddSign { lr: 0.1, alpha: 1.0, sign_decay: 0.5, beta: 0.9 }, &[-0.5]), &[1.0 - 0.1 * 0.5 * 0.2, m]);
        let scale = (-2.0f64 * 0.5).exp();
        close(step(FurtherUpdate::PowerSign { lr: 0.1, logbase: 2.0, sign_decay: 0.5, beta: 0.9 }, &[-0.5]), &[1.0 - 0.1 * scale * 0.2, m]);
    }

    #[test]
    fn scaled_ftrl_keeps_the_slot_times_the_learning_rate() {
        let (lr, l1, l2, n0, z0) = (0.1, 0.01, 0.02, 0.5f64, 0.25);
        let n1 = n0 + 0.04;
        let z = z0 + 0.2 - (n1.sqrt() - n0.sqrt()) / lr;
        let v = (z.signum() * l1 - z) / (n1.sqrt() / lr + 2.0 * l2);
        let got = step(FurtherUpdate::ScaledFtrl { lr, l1, l2, lr_power: -0.5, l2_shrinkage: 0.0 }, &[n0, z0 * lr]);
        assert!((got[0] - v).abs() < 1e-12 && (got[2] - z * lr).abs() < 1e-12, "{got:?}");
    }
}
