//! `Rule`: the update rules of the optimizers by the names of TF's ops: which parameters they take, and their arithmetic.

use super::further_update::FurtherUpdate;
use ferroflow_math::{OptimizerElement, ParallelFor, Real, Update, apply_update};

/// An update rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    GradientDescent,
    Momentum,
    KerasMomentum,
    Adagrad,
    AdagradV2,
    AdagradDA,
    Adadelta,
    Adam,
    AdamWithAmsgrad,
    AdaMax,
    RmsProp,
    CenteredRmsProp,
    Ftrl,
    FtrlV2,
    ProximalGradientDescent,
    ProximalAdagrad,
    AddSign,
    PowerSign,
}

/// Switches that some ops have as attributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switches {
    pub(super) use_nesterov: bool,
    pub(super) update_slots: bool,
    pub(super) multiply_linear_by_lr: bool,
}

/// A rule with its parameters.
pub(super) enum Bound<R> {
    /// One of the rules that `ferroflow_math` knows.
    Math(Update<R>),
    /// One of the rarer ones.
    Further(FurtherUpdate<R>),
}

/// Most parameters that a rule takes.
pub(super) const MOST_PARAMETERS: usize = 6;

impl Rule {
    /// The variable and its slots.
    pub(super) fn variables(self) -> usize {
        match self {
            Rule::GradientDescent | Rule::ProximalGradientDescent => 1,
            Rule::Momentum | Rule::KerasMomentum | Rule::Adagrad | Rule::AdagradV2 | Rule::ProximalAdagrad => 2,
            Rule::AddSign | Rule::PowerSign => 2,
            Rule::AdagradDA | Rule::Adadelta | Rule::Adam | Rule::AdaMax | Rule::RmsProp | Rule::Ftrl | Rule::FtrlV2 => 3,
            Rule::AdamWithAmsgrad | Rule::CenteredRmsProp => 4,
        }
    }

    /// The scalar arguments, in the order in which [`Rule::bind`] takes them.
    pub(super) fn parameters(self) -> &'static [&'static str] {
        match self {
            Rule::GradientDescent => &["alpha"],
            Rule::Momentum | Rule::KerasMomentum => &["lr", "momentum"],
            Rule::Adagrad => &["lr"],
            Rule::AdagradV2 => &["lr", "epsilon"],
            Rule::AdagradDA => &["lr", "l1", "l2", "global_step"],
            Rule::Adadelta => &["lr", "rho", "epsilon"],
            Rule::Adam | Rule::AdamWithAmsgrad => &["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"],
            Rule::AdaMax => &["beta1_power", "lr", "beta1", "beta2", "epsilon"],
            Rule::RmsProp | Rule::CenteredRmsProp => &["lr", "rho", "momentum", "epsilon"],
            Rule::Ftrl => &["lr", "l1", "l2", "lr_power"],
            Rule::FtrlV2 => &["lr", "l1", "l2", "lr_power", "l2_shrinkage"],
            Rule::ProximalGradientDescent => &["alpha", "l1", "l2"],
            Rule::ProximalAdagrad => &["lr", "l1", "l2"],
            Rule::AddSign => &["lr", "alpha", "sign_decay", "beta"],
            Rule::PowerSign => &["lr", "logbase", "sign_decay", "beta"],
        }
    }

    /// The rule with these parameters; those beyond [`Rule::parameters`] are not looked at.
    pub(super) fn bind<R: Real>(self, p: [R; MOST_PARAMETERS], s: Switches) -> Bound<R> {
        let use_nesterov = s.use_nesterov;
        Bound::Math(match self {
            Rule::GradientDescent => Update::GradientDescent { alpha: p[0] },
            Rule::Momentum => Update::Momentum { lr: p[0], momentum: p[1], use_nesterov },
            Rule::Adagrad => Update::Adagrad { lr: p[0], epsilon: R::of(0.0), update_slots: s.update_slots },
            Rule::AdagradV2 => Update::Adagrad { lr: p[0], epsilon: p[1], update_slots: s.update_slots },
            Rule::AdagradDA => Update::AdagradDA { lr: p[0], l1: p[1], l2: p[2], global_step: p[3] },
            Rule::Adadelta => Update::Adadelta { lr: p[0], rho: p[1], epsilon: p[2] },
            Rule::Adam => {
                Update::Adam { beta1_power: p[0], beta2_power: p[1], lr: p[2], beta1: p[3], beta2: p[4], epsilon: p[5], use_nesterov }
            }
            Rule::AdaMax => Update::AdaMax { beta1_power: p[0], lr: p[1], beta1: p[2], beta2: p[3], epsilon: p[4] },
            Rule::RmsProp => Update::RmsProp { lr: p[0], rho: p[1], momentum: p[2], epsilon: p[3] },
            Rule::CenteredRmsProp => Update::CenteredRmsProp { lr: p[0], rho: p[1], momentum: p[2], epsilon: p[3] },
            Rule::Ftrl | Rule::FtrlV2 => {
                let shrinkage = if self == Rule::FtrlV2 { p[4] } else { R::of(0.0) };
                if s.multiply_linear_by_lr {
                    return Bound::Further(FurtherUpdate::ScaledFtrl {
                        lr: p[0],
                        l1: p[1],
                        l2: p[2],
                        lr_power: p[3],
                        l2_shrinkage: shrinkage,
                    });
                }
                Update::Ftrl { lr: p[0], l1: p[1], l2: p[2], l2_shrinkage: shrinkage, lr_power: p[3] }
            }
            Rule::ProximalGradientDescent => Update::ProximalGradientDescent { alpha: p[0], l1: p[1], l2: p[2] },
            Rule::ProximalAdagrad => Update::ProximalAdagrad { lr: p[0], l1: p[1], l2: p[2] },
            Rule::KerasMomentum => return Bound::Further(FurtherUpdate::KerasMomentum { lr: p[0], momentum: p[1], use_nesterov }),
            Rule::AdamWithAmsgrad => {
                let step = p[2] * (R::of(1.0) - p[1]).sqrt() / (R::of(1.0) - p[0]);
                return Bound::Further(FurtherUpdate::AmsGrad { step, beta1: p[3], beta2: p[4], epsilon: p[5] });
            }
            Rule::AddSign => {
                return Bound::Further(FurtherUpdate::AddSign { lr: p[0], alpha: p[1], sign_decay: p[2], beta: p[3] });
            }
            Rule::PowerSign => {
                return Bound::Further(FurtherUpdate::PowerSign { lr: p[0], logbase: p[1], sign_decay: p[2], beta: p[3] });
            }
        })
    }
}

impl<R: Real> Bound<R> {
    /// Updates the variable and its slots, all of the gradient's length.
    pub(super) fn apply<T: OptimizerElement<Wide = R>>(&self, pool: &dyn ParallelFor, var: &mut [T], slots: &mut [&mut [T]], grad: &[T]) {
        match self {
            Bound::Math(update) => apply_update(pool, update, var, slots, grad),
            Bound::Further(update) => update.apply(var, slots, grad),
        }
    }
}
