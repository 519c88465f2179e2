//! Momentum (TF: `MomentumOptimizer`): m = μ·m + g; v −= lr·m, or Nesterov's v −= lr·(g + μ·m).

use super::{Apply, UpdateRule};
use crate::variable::Variable;
use ferroflow_graph::{Operation, Output};

/// Gradient descent with momentum. Slot: the accumulated gradient, at first 0.
#[derive(Clone, Debug)]
pub struct Momentum {
    learning_rate: f64,
    momentum: f64,
    nesterov: bool,
}

impl Momentum {
    /// With this learning rate and momentum.
    pub fn new(learning_rate: f64, momentum: f64) -> Momentum {
        Momentum { learning_rate, momentum, nesterov: false }
    }

    /// Looks ahead along the momentum.
    pub fn nesterov(mut self) -> Momentum {
        self.nesterov = true;
        self
    }
}

impl UpdateRule for Momentum {
    fn name(&self) -> &str {
        "Momentum"
    }

    fn apply_dense(&self, apply: &Apply, var: &Variable, grad: &Output) -> Operation {
        let (lr, momentum) = (apply.hyper("learning_rate", self.learning_rate, var), apply.hyper("momentum", self.momentum, var));
        let accum = apply.slot(var, 0, 0.0);
        apply
            .op("ResourceApplyMomentum", var)
            .inputs([var.handle().clone(), accum.handle().clone(), lr, grad.clone(), momentum])
            .attr("use_nesterov", self.nesterov)
            .build()
    }

    fn apply_sparse(&self, apply: &Apply, var: &Variable, values: &Output, indices: &Output) -> Operation {
        let (lr, momentum) = (apply.hyper("learning_rate", self.learning_rate, var), apply.hyper("momentum", self.momentum, var));
        let accum = apply.slot(var, 0, 0.0);
        apply
            .op("ResourceSparseApplyMomentum", var)
            .inputs([var.handle().clone(), accum.handle().clone(), lr, values.clone(), indices.clone(), momentum])
            .attr("use_nesterov", self.nesterov)
            .build()
    }
}
