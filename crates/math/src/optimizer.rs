//! Update rules of the optimizers on slices, TensorFlow's `training_ops` (`ApplyGradientDescent`, `ApplyAdam`, …). One pass over a
//! variable, its slots and the gradient; sparse updates call it for the rows they touch.

use half::{bf16, f16};
use num_traits::{Float, One, Zero};

use crate::number::{Floating, Real};
use crate::parallel::{ParallelFor, Parts, for_each_range};
use crate::vectorise::vectorised;

/// An update rule with its hyper-parameters, by the name of TensorFlow's `Apply…` op. The slots of a variable come in the order
/// of the op's inputs, as said at each rule.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Update<R> {
    /// No slots.
    GradientDescent { alpha: R },
    /// Slots: accum.
    Momentum { lr: R, momentum: R, use_nesterov: bool },
    /// `ApplyAdagrad` (epsilon 0) and `ApplyAdagradV2`. Slots: accum.
    Adagrad { lr: R, epsilon: R, update_slots: bool },
    /// Slots: gradient_accumulator, gradient_squared_accumulator.
    AdagradDA { lr: R, l1: R, l2: R, global_step: R },
    /// Slots: accum, accum_update.
    Adadelta { lr: R, rho: R, epsilon: R },
    /// Slots: m, v.
    Adam { beta1_power: R, beta2_power: R, lr: R, beta1: R, beta2: R, epsilon: R, use_nesterov: bool },
    /// Slots: m, v.
    AdaMax { beta1_power: R, lr: R, beta1: R, beta2: R, epsilon: R },
    /// Slots: ms, mom.
    RmsProp { lr: R, rho: R, momentum: R, epsilon: R },
    /// Slots: mg, ms, mom.
    CenteredRmsProp { lr: R, rho: R, momentum: R, epsilon: R },
    /// `ApplyFtrl` (l2_shrinkage 0) and `ApplyFtrlV2`. Slots: accum, linear.
    Ftrl { lr: R, l1: R, l2: R, l2_shrinkage: R, lr_power: R },
    /// No slots.
    ProximalGradientDescent { alpha: R, l1: R, l2: R },
    /// Slots: accum.
    ProximalAdagrad { lr: R, l1: R, l2: R },
}

impl<R> Update<R> {
    /// The number of slots.
    pub fn slots(&self) -> usize {
        match self {
            Update::GradientDescent { .. } | Update::ProximalGradientDescent { .. } => 0,
            Update::Momentum { .. } | Update::Adagrad { .. } | Update::ProximalAdagrad { .. } => 1,
            Update::AdagradDA { .. }
            | Update::Adadelta { .. }
            | Update::Adam { .. }
            | Update::AdaMax { .. }
            | Update::RmsProp { .. }
            | Update::Ftrl { .. } => 2,
            Update::CenteredRmsProp { .. } => 3,
        }
    }
}

/// An element type of variables that are trained.
pub trait OptimizerElement: Floating {
    /// Updates on the calling thread; callers use [`apply_update`].
    fn update(rule: &Update<Self::Wide>, var: &mut [Self], slots: &mut [&mut [Self]], grad: &[Self]);
}

/// Elements that a task takes at least.
const GRAIN: usize = 16 * 1024;

/// Updates `var` and its slots by one step with the gradient `grad`. Panics when the number of slots is not [`Update::slots`] or a
/// length differs.
pub fn apply_update<T: OptimizerElement>(
    pool: &dyn ParallelFor,
    rule: &Update<T::Wide>,
    var: &mut [T],
    slots: &mut [&mut [T]],
    grad: &[T],
) {
    assert_eq!(slots.len(), rule.slots());
    assert!(var.len() == grad.len() && slots.iter().all(|slot| slot.len() == grad.len()));
    let var = Parts::new(var);
    let mut slots = slots.iter_mut().map(|slot| Parts::new(slot));
    let slots = [slots.next(), slots.next(), slots.next()];
    for_each_range(pool, grad.len(), GRAIN, &|range| {
        // SAFETY: the ranges of for_each_range do not overlap; var and slots are different slices.
        let (var, slots) =
            unsafe { (var.get(range.clone()), slots.each_ref().map(|slot| slot.as_ref().map(|slot| slot.get(range.clone())))) };
        let mut count = 0;
        let mut slots = slots.map(|slot| {
            count += usize::from(slot.is_some());
            slot.unwrap_or_default()
        });
        T::update(rule, var, &mut slots[..count], &grad[range]);
    });
}

/// One array of state for each loop below: `f(gradient, [var, slots…])` gives the new state of one element.
#[inline(always)]
fn each<T: Floating, const N: usize, F: Fn(T::Wide, [T::Wide; N]) -> [T::Wide; N]>((state, grad, f): ([&mut [T]; N], &[T], F)) {
    // Slices of one length each let the compiler drop the bounds checks.
    let state = state.map(|state| &mut state[..grad.len()]);
    for (i, grad) in grad.iter().enumerate() {
        let before = std::array::from_fn(|k| state[k][i].widen());
        let after = f(grad.widen(), before);
        for k in 0..N {
            state[k][i] = T::narrow(after[k]);
        }
    }
}

/// Soft threshold: |x| less `by`, not below 0, with the sign of x.
#[inline(always)]
fn shrink<R: Real>(x: R, by: R) -> R {
    let rest = x.abs() - by;
    if rest > R::zero() { rest.copysign(x) } else { R::zero() }
}

#[inline(always)]
fn proximal<R: Real>(var: R, grad: R, lr: R, l1: R, l2: R) -> R {
    let w = var - lr * grad;
    let w = if l1 > R::zero() { shrink(w, lr * l1) } else { w };
    w / (R::one() + lr * l2)
}

/// x^-power; -1/2 is the usual one and quick.
#[inline(always)]
fn inverse_power<R: Real>(x: R, power: R) -> R {
    if power == R::of(-0.5) { x.sqrt() } else { x.powf(-power) }
}

#[inline(always)]
fn ftrl<R: Real>(g: R, [v, n, z]: [R; 3], lr: R, [l1, l2, shrinkage, power]: [R; 4]) -> [R; 3] {
    let two = R::of(2.0);
    let n1 = n + g * g;
    let (root, root1) = (inverse_power(n, power), inverse_power(n1, power));
    let z = z + (g + two * shrinkage * v) - (root1 - root) / lr * v;
    let v = if z.abs() > l1 { (l1.copysign(z) - z) / (root1 / lr + two * l2) } else { R::zero() };
    [v, n1, z]
}

fn update<T: Floating>(rule: &Update<T::Wide>, var: &mut [T], slots: &mut [&mut [T]], grad: &[T]) {
    type W<T> = <T as Floating>::Wide;
    let (zero, one) = (W::<T>::zero(), W::<T>::one());
    match (*rule, slots) {
        (Update::GradientDescent { alpha }, []) => {
            vectorised(([var], grad, |g: W<T>, [v]: [W<T>; 1]| [v - alpha * g]), each::<T, 1, _>);
        }
        (Update::Momentum { lr, momentum, use_nesterov }, [accum]) => {
            let (by_grad, by_accum) = if use_nesterov { (lr, lr * momentum) } else { (zero, lr) };
            let f = |g: W<T>, [v, a]: [W<T>; 2]| {
                let a = momentum * a + g;
                [v - by_grad * g - by_accum * a, a]
            };
            vectorised(([var, accum], grad, f), each::<T, 2, _>);
        }
        (Update::Adagrad { lr, epsilon, update_slots }, [accum]) => {
            let f = |g: W<T>, [v, a]: [W<T>; 2]| {
                let a = if update_slots { a + g * g } else { a };
                [v - lr * g / (a.sqrt() + epsilon), a]
            };
            vectorised(([var, accum], grad, f), each::<T, 2, _>);
        }
        (Update::AdagradDA { lr, l1, l2, global_step }, [sum, squares]) => {
            let f = |g: W<T>, [_, s, q]: [W<T>; 3]| {
                let (s, q) = (s + g, q + g * g);
                let top = if l1 > zero { shrink(s, l1 * global_step) } else { s };
                [-lr * top / (l2 * global_step * lr + q.sqrt()), s, q]
            };
            vectorised(([var, sum, squares], grad, f), each::<T, 3, _>);
        }
        (Update::Adadelta { lr, rho, epsilon }, [accum, accum_update]) => {
            let f = |g: W<T>, [v, a, u]: [W<T>; 3]| {
                let a = rho * a + (one - rho) * g * g;
                let d = (u + epsilon).sqrt() / (a + epsilon).sqrt() * g;
                [v - lr * d, a, rho * u + (one - rho) * d * d]
            };
            vectorised(([var, accum, accum_update], grad, f), each::<T, 3, _>);
        }
        (Update::Adam { beta1_power, beta2_power, lr, beta1, beta2, epsilon, use_nesterov }, [m, v]) => {
            let step = lr * (one - beta2_power).sqrt() / (one - beta1_power);
            let (by_grad, by_m) = if use_nesterov { (one - beta1, beta1) } else { (zero, one) };
            let f = |g: W<T>, [w, m, v]: [W<T>; 3]| {
                let m = m + (g - m) * (one - beta1);
                let v = v + (g * g - v) * (one - beta2);
                [w - step * (by_grad * g + by_m * m) / (v.sqrt() + epsilon), m, v]
            };
            vectorised(([var, m, v], grad, f), each::<T, 3, _>);
        }
        (Update::AdaMax { beta1_power, lr, beta1, beta2, epsilon }, [m, v]) => {
            let step = lr / (one - beta1_power);
            let f = |g: W<T>, [w, m, v]: [W<T>; 3]| {
                let m = m + (g - m) * (one - beta1);
                let (decayed, size) = (beta2 * v, g.abs());
                let v = if decayed > size { decayed } else { size };
                [w - step * m / (v + epsilon), m, v]
            };
            vectorised(([var, m, v], grad, f), each::<T, 3, _>);
        }
        (Update::RmsProp { lr, rho, momentum, epsilon }, [ms, mom]) => {
            let f = |g: W<T>, [v, s, m]: [W<T>; 3]| {
                let s = s + (g * g - s) * (one - rho);
                let m = momentum * m + lr * g / (s + epsilon).sqrt();
                [v - m, s, m]
            };
            vectorised(([var, ms, mom], grad, f), each::<T, 3, _>);
        }
        (Update::CenteredRmsProp { lr, rho, momentum, epsilon }, [mg, ms, mom]) => {
            let f = |g: W<T>, [v, a, s, m]: [W<T>; 4]| {
                let s = s + (g * g - s) * (one - rho);
                let a = a + (g - a) * (one - rho);
                let m = momentum * m + lr * g / (s - a * a + epsilon).sqrt();
                [v - m, a, s, m]
            };
            vectorised(([var, mg, ms, mom], grad, f), each::<T, 4, _>);
        }
        (Update::Ftrl { lr, l1, l2, l2_shrinkage, lr_power }, [accum, linear]) => {
            let f = |g: W<T>, state: [W<T>; 3]| ftrl(g, state, lr, [l1, l2, l2_shrinkage, lr_power]);
            vectorised(([var, accum, linear], grad, f), each::<T, 3, _>);
        }
        (Update::ProximalGradientDescent { alpha, l1, l2 }, []) => {
            let f = |g: W<T>, [v]: [W<T>; 1]| [proximal(v, g, alpha, l1, l2)];
            vectorised(([var], grad, f), each::<T, 1, _>);
        }
        (Update::ProximalAdagrad { lr, l1, l2 }, [accum]) => {
            let f = |g: W<T>, [v, a]: [W<T>; 2]| {
                let a = a + g * g;
                [proximal(v, g, lr / a.sqrt(), l1, l2), a]
            };
            vectorised(([var, accum], grad, f), each::<T, 2, _>);
        }
        (rule, slots) => panic!("{} slots for {rule:?}", slots.len()),
    }
}

macro_rules! optimizer_element {
    ($($t:ty)*) => {$(
        impl OptimizerElement for $t {
            fn update(rule: &Update<Self::Wide>, var: &mut [Self], slots: &mut [&mut [Self]], grad: &[Self]) {
                update(rule, var, slots, grad);
            }
        }
    )*};
}
optimizer_element!(f32 f64 f16 bf16);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Inline;
    use crate::parallel::tests::Threads;
    use crate::sample::Sample;

    /// The state (variable, then slots) after one step from (1, 0.5, 0.25, 0.125) with gradient 0.2.
    fn step(rule: Update<f64>) -> Vec<f64> {
        let mut state = [[1.0], [0.5], [0.25], [0.125]];
        let count = rule.slots();
        let (var, slots) = state.split_first_mut().unwrap();
        let mut slots: Vec<&mut [f64]> = slots.iter_mut().take(count).map(|slot| &mut slot[..]).collect();
        apply_update(&Inline, &rule, var, &mut slots, &[0.2]);
        state.iter().take(count + 1).map(|x| x[0]).collect()
    }

    fn close(rule: Update<f64>, expected: &[f64]) {
        let got = step(rule);
        assert_eq!(got.len(), expected.len());
        assert!(got.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-12), "{rule:?}: {got:?}, not {expected:?}");
    }

    #[test]
    fn one_step_of_each_rule_follows_its_formula() {
        let g2 = 0.2f64 * 0.2;
        close(Update::GradientDescent { alpha: 0.1 }, &[0.98]);
        let a = 0.9 * 0.5 + 0.2;
        close(Update::Momentum { lr: 0.1, momentum: 0.9, use_nesterov: false }, &[1.0 - 0.1 * a, a]);
        close(Update::Momentum { lr: 0.1, momentum: 0.9, use_nesterov: true }, &[1.0 - 0.1 * 0.2 - 0.1 * 0.9 * a, a]);
        let a = 0.5 + g2;
        close(Update::Adagrad { lr: 0.1, epsilon: 0.0, update_slots: true }, &[1.0 - 0.02 / a.sqrt(), a]);
        close(Update::Adagrad { lr: 0.1, epsilon: 0.3, update_slots: false }, &[1.0 - 0.02 / (0.5f64.sqrt() + 0.3), 0.5]);
        let (s, q) = (0.7, 0.25 + g2);
        let top = 0.7 - 0.01 * 3.0;
        close(Update::AdagradDA { lr: 0.1, l1: 0.01, l2: 0.02, global_step: 3.0 }, &[-0.1 * top / (0.006 + q.sqrt()), s, q]);
        close(Update::AdagradDA { lr: 0.1, l1: 0.5, l2: 0.02, global_step: 3.0 }, &[0.0, s, q]);
        let a = 0.95 * 0.5 + 0.05 * g2;
        let d = (0.25f64 + 1e-6).sqrt() / (a + 1e-6).sqrt() * 0.2;
        close(Update::Adadelta { lr: 0.1, rho: 0.95, epsilon: 1e-6 }, &[1.0 - 0.1 * d, a, 0.95 * 0.25 + 0.05 * d * d]);
        let (m, v) = (0.9 * 0.5 + 0.1 * 0.2, 0.99 * 0.25 + 0.01 * g2);
        let lr = 0.1 * (1.0f64 - 0.99).sqrt() / (1.0 - 0.9);
        let adam = |use_nesterov| Update::Adam {
            beta1_power: 0.9,
            beta2_power: 0.99,
            lr: 0.1,
            beta1: 0.9,
            beta2: 0.99,
            epsilon: 0.01,
            use_nesterov,
        };
        close(adam(false), &[1.0 - lr * m / (v.sqrt() + 0.01), m, v]);
        close(adam(true), &[1.0 - lr * (0.1 * 0.2 + 0.9 * m) / (v.sqrt() + 0.01), m, v]);
        let v = 0.99 * 0.25;
        close(Update::AdaMax { beta1_power: 0.9, lr: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 0.01 }, &[1.0 - m / (v + 0.01), m, v]);
        let ms = 0.9 * 0.5 + 0.1 * g2;
        let mom = 0.8 * 0.25 + 0.1 * 0.2 / (ms + 0.01f64).sqrt();
        close(Update::RmsProp { lr: 0.1, rho: 0.9, momentum: 0.8, epsilon: 0.01 }, &[1.0 - mom, ms, mom]);
        // mg = 0.5 and ms = 0.25: the denominator is ms - mg².
        let (mg, ms) = (0.9 * 0.5 + 0.1 * 0.2, 0.9 * 0.25 + 0.1 * g2);
        let mom = 0.8 * 0.125 + 0.1 * 0.2 / (ms - mg * mg + 0.01f64).sqrt();
        close(Update::CenteredRmsProp { lr: 0.1, rho: 0.9, momentum: 0.8, epsilon: 0.01 }, &[1.0 - mom, mg, ms, mom]);
        let v = 0.98f64 - 0.1 * 0.3;
        close(Update::ProximalGradientDescent { alpha: 0.1, l1: 0.3, l2: 0.4 }, &[v / 1.04]);
        close(Update::ProximalGradientDescent { alpha: 0.1, l1: 30.0, l2: 0.4 }, &[0.0]);
        let a = 0.5 + g2;
        let lr = 0.1 / a.sqrt();
        close(Update::ProximalAdagrad { lr: 0.1, l1: 0.3, l2: 0.4 }, &[(1.0 - lr * 0.2 - lr * 0.3) / (1.0 + lr * 0.4), a]);
    }

    #[test]
    fn ftrl_follows_its_formula_for_any_power() {
        for (power, shrinkage) in [(-0.5, 0.0), (-0.5, 0.1), (-0.7, 0.0), (0.0, 0.2)] {
            let n = 0.5f64 + 0.04;
            let (root, root1) = (0.5f64.powf(-power), n.powf(-power));
            let z = 0.25 + (0.2 + 2.0 * shrinkage) - (root1 - root) / 0.1;
            let v = if z.abs() > 0.01 { (z.signum() * 0.01 - z) / (root1 / 0.1 + 2.0 * 0.02) } else { 0.0 };
            close(Update::Ftrl { lr: 0.1, l1: 0.01, l2: 0.02, l2_shrinkage: shrinkage, lr_power: power }, &[v, n, z]);
        }
        let rule = Update::Ftrl { lr: 0.1, l1: 100.0, l2: 0.0, l2_shrinkage: 0.0, lr_power: -0.5 };
        assert_eq!(step(rule)[0], 0.0);
    }

    #[test]
    fn all_elements_are_updated_whatever_the_threads_and_the_type() {
        let mut sample = Sample::new(51);
        let n = 50_001;
        let (var, grad, m) = (sample.f32s(n), sample.f32s(n), sample.f32s(n));
        let rule = Update::Momentum { lr: 0.1, momentum: 0.9, use_nesterov: false };
        let (mut v, mut a) = (var.clone(), m.clone());
        apply_update(&Threads(3), &rule, &mut v, &mut [&mut a], &grad);
        for i in 0..n {
            let accum = 0.9 * m[i] + grad[i];
            assert!((a[i] - accum).abs() < 1e-6 && (v[i] - (var[i] - 0.1 * accum)).abs() < 1e-6);
        }
        let mut half = [f16::from_f32(1.0)];
        apply_update(&Inline, &Update::GradientDescent { alpha: 0.5 }, &mut half, &mut [], &[f16::from_f32(1.0)]);
        assert_eq!(half, [f16::from_f32(0.5)]);
        apply_update::<f64>(&Inline, &Update::GradientDescent { alpha: 0.5 }, &mut [], &mut [], &[]);
    }

    #[test]
    #[should_panic]
    fn a_missing_slot_is_a_mistake_of_the_caller() {
        apply_update(&Inline, &Update::Momentum { lr: 0.1, momentum: 0.9, use_nesterov: false }, &mut [1.0], &mut [], &[1.0f32]);
    }
}
