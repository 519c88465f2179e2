//! Adagrad (TF: `AdagradOptimizer`): a += g²; v −= lr·g/√a.

use super::{Apply, UpdateRule};
use crate::variable::Variable;
use ferroflow_graph::{Operation, Output};

/// Adagrad. Slot: the sum of squared gradients, at first 0.1.
#[derive(Clone, Debug)]
pub struct Adagrad {
    learning_rate: f64,
    initial_accumulator: f64,
}

impl Adagrad {
    /// With this learning rate.
    pub fn new(learning_rate: f64) -> Adagrad {
        Adagrad { learning_rate, initial_accumulator: 0.1 }
    }

    /// Starts the accumulators with this positive value.
    pub fn initial_accumulator(mut self, value: f64) -> Adagrad {
        self.initial_accumulator = value;
        self
    }
}

impl UpdateRule for Adagrad {
    fn name(&self) -> &str {
        "Adagrad"
    }

    fn apply_dense(&self, apply: &Apply, var: &Variable, grad: &Output) -> Operation {
        let lr = apply.hyper("learning_rate", self.learning_rate, var);
        let accum = apply.slot(var, 0, self.initial_accumulator);
        apply.op("ResourceApplyAdagrad", var).inputs([var.handle().clone(), accum.handle().clone(), lr, grad.clone()]).build()
    }

    fn apply_sparse(&self, apply: &Apply, var: &Variable, values: &Output, indices: &Output) -> Operation {
        let lr = apply.hyper("learning_rate", self.learning_rate, var);
        let accum = apply.slot(var, 0, self.initial_accumulator);
        apply
            .op("ResourceSparseApplyAdagrad", var)
            .inputs([var.handle().clone(), accum.handle().clone(), lr, values.clone(), indices.clone()])
            .build()
    }
}
