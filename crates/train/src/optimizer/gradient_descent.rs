//! Plain gradient descent (TF: `GradientDescentOptimizer`): v −= lr · g.

use super::{Apply, UpdateRule};
use crate::variable::Variable;
use ferroflow_graph::{Operation, Output};

/// Gradient descent with a fixed learning rate.
#[derive(Clone, Debug)]
pub struct GradientDescent {
    learning_rate: f64,
}

impl GradientDescent {
    /// With this learning rate.
    pub fn new(learning_rate: f64) -> GradientDescent {
        GradientDescent { learning_rate }
    }
}

impl UpdateRule for GradientDescent {
    fn name(&self) -> &str {
        "GradientDescent"
    }

    fn apply_dense(&self, apply: &Apply, var: &Variable, grad: &Output) -> Operation {
        let lr = apply.hyper("learning_rate", self.learning_rate, var);
        apply.op("ResourceApplyGradientDescent", var).input(var.handle()).input(lr).input(grad).build()
    }

    fn apply_sparse(&self, apply: &Apply, var: &Variable, values: &Output, indices: &Output) -> Operation {
        let lr = apply.hyper("learning_rate", self.learning_rate, var);
        let step = apply.op("Mul", var).input(values).input(lr).output();
        apply.op("ResourceScatterSub", var).input(var.handle()).input(indices).input(step).attr("dtype", var.dtype()).build()
    }
}
