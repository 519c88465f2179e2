//! RMSProp (TF: `RMSPropOptimizer`): ms += (g² − ms)(1 − decay); mom = μ·mom + lr·g/√(ms + ε); v −= mom. Centered: √(ms − mg² + ε).

use super::{Apply, UpdateRule};
use crate::variable::Variable;
use ferroflow_graph::{Operation, Output};

/// RMSProp. Slots: mean square (at first 1), if centered the mean gradient (0), and the momentum (0).
#[derive(Clone, Debug)]
pub struct RmsProp {
    learning_rate: f64,
    decay: f64,
    momentum: f64,
    epsilon: f64,
    centered: bool,
}

impl RmsProp {
    /// With this learning rate, decay 0.9, no momentum, ε 1e-10.
    pub fn new(learning_rate: f64) -> RmsProp {
        RmsProp { learning_rate, decay: 0.9, momentum: 0.0, epsilon: 1e-10, centered: false }
    }

    /// Sets the decay of the means.
    pub fn decay(mut self, decay: f64) -> RmsProp {
        self.decay = decay;
        self
    }

    /// Sets the momentum.
    pub fn momentum(mut self, momentum: f64) -> RmsProp {
        self.momentum = momentum;
        self
    }

    /// Sets what keeps the division away from zero.
    pub fn epsilon(mut self, epsilon: f64) -> RmsProp {
        self.epsilon = epsilon;
        self
    }

    /// Divides by the variance instead of the mean square.
    pub fn centered(mut self) -> RmsProp {
        self.centered = true;
        self
    }

    /// The inputs that dense and sparse updates share: variable, slots in the op's order, hyper-parameters.
    fn inputs(&self, apply: &Apply, var: &Variable) -> Vec<Output> {
        let mut inputs = vec![var.handle().clone()];
        let mean_square = apply.slot(var, 0, 1.0);
        if self.centered {
            inputs.push(apply.slot(var, 1, 0.0).handle().clone());
        }
        inputs.push(mean_square.handle().clone());
        inputs.push(apply.slot(var, 1 + self.centered as usize, 0.0).handle().clone());
        inputs.push(apply.hyper("learning_rate", self.learning_rate, var));
        inputs.push(apply.hyper("decay", self.decay, var));
        inputs.push(apply.hyper("momentum", self.momentum, var));
        inputs.push(apply.hyper("epsilon", self.epsilon, var));
        inputs
    }
}

impl UpdateRule for RmsProp {
    fn name(&self) -> &str {
        "RMSProp"
    }

    fn apply_dense(&self, apply: &Apply, var: &Variable, grad: &Output) -> Operation {
        let op = if self.centered { "ResourceApplyCenteredRMSProp" } else { "ResourceApplyRMSProp" };
        let inputs = self.inputs(apply, var);
        apply.op(op, var).inputs(inputs).input(grad).build()
    }

    fn apply_sparse(&self, apply: &Apply, var: &Variable, values: &Output, indices: &Output) -> Operation {
        let op = if self.centered { "ResourceSparseApplyCenteredRMSProp" } else { "ResourceSparseApplyRMSProp" };
        let inputs = self.inputs(apply, var);
        apply.op(op, var).inputs(inputs).input(values).input(indices).build()
    }
}
