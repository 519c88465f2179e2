//! Adam (TF: `AdamOptimizer`): m and v are decaying means of the gradient and its square;
//! v −= lr·√(1 − β₂ᵗ)/(1 − β₁ᵗ) · m/(√v + ε).

use super::{Apply, UpdateRule};
use crate::variable::Variable;
use ferroflow_graph::{Operation, Output};

/// Adam. Slots: first and second moment, at first 0; and for all variables together the powers of β₁ and β₂.
#[derive(Clone, Debug)]
pub struct Adam {
    learning_rate: f64,
    beta1: f64,
    beta2: f64,
    epsilon: f64,
}

impl Adam {
    /// With this learning rate, β₁ 0.9, β₂ 0.999, ε 1e-8.
    pub fn new(learning_rate: f64) -> Adam {
        Adam { learning_rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }

    /// Sets the decay rates of the moments.
    pub fn betas(mut self, beta1: f64, beta2: f64) -> Adam {
        (self.beta1, self.beta2) = (beta1, beta2);
        self
    }

    /// Sets what keeps the division away from zero.
    pub fn epsilon(mut self, epsilon: f64) -> Adam {
        self.epsilon = epsilon;
        self
    }

    fn powers(&self, apply: &Apply) -> (Variable, Variable) {
        (apply.scalar("beta1_power", self.beta1), apply.scalar("beta2_power", self.beta2))
    }
}

impl UpdateRule for Adam {
    fn name(&self) -> &str {
        "Adam"
    }

    fn apply_dense(&self, apply: &Apply, var: &Variable, grad: &Output) -> Operation {
        let (m, v) = (apply.slot(var, 0, 0.0), apply.slot(var, 1, 0.0));
        let (p1, p2) = self.powers(apply);
        let inputs = [
            var.handle().clone(),
            m.handle().clone(),
            v.handle().clone(),
            p1.value(),
            p2.value(),
            apply.hyper("learning_rate", self.learning_rate, var),
            apply.hyper("beta1", self.beta1, var),
            apply.hyper("beta2", self.beta2, var),
            apply.hyper("epsilon", self.epsilon, var),
            grad.clone(),
        ];
        apply.op("ResourceApplyAdam", var).inputs(inputs).build()
    }

    /// The moments of all rows decay and all rows move, as TF's do; only the given rows get new gradients.
    fn apply_sparse(&self, apply: &Apply, var: &Variable, values: &Output, indices: &Output) -> Operation {
        let g = apply.graph();
        let (m, v) = (apply.slot(var, 0, 0.0), apply.slot(var, 1, 0.0));
        let (p1, p2) = self.powers(apply);
        let [lr, beta1, beta2, epsilon] =
            [("learning_rate", self.learning_rate), ("beta1", self.beta1), ("beta2", self.beta2), ("epsilon", self.epsilon)]
                .map(|(name, value)| apply.hyper(name, value, var));
        g.colocate_with(var.handle().op(), || {
            let one = g.constant_of_type(var.dtype(), 1i64);
            let correction = g.op("Sqrt").input(&one - &p2.value()).output();
            let rate = &(&lr * &correction) / &(&one - &p1.value());
            let moment = |slot: &Variable, beta: &Output, contribution: Output| {
                let decayed = slot.assign(&slot.value() * beta);
                g.control_dependencies([&decayed], || {
                    let scaled = &contribution * &(&one - beta);
                    let added = g
                        .op("ResourceScatterAdd")
                        .inputs([slot.handle().clone(), indices.clone(), scaled])
                        .attr("dtype", var.dtype())
                        .build();
                    g.control_dependencies([&added], || slot.read())
                })
            };
            let first = moment(&m, &beta1, values.clone());
            let second = moment(&v, &beta2, g.op("Square").input(values).output());
            let root = &g.op("Sqrt").input(second).output() + &epsilon;
            let step = &(&rate * &first) / &root;
            apply.op("AssignSubVariableOp", var).input(var.handle()).input(step).attr("dtype", var.dtype()).build()
        })
    }

    fn finish(&self, apply: &Apply, updates: &[Operation]) -> Vec<Operation> {
        let (p1, p2) = self.powers(apply);
        apply.after(updates, || {
            [(p1, self.beta1, "beta1"), (p2, self.beta2, "beta2")]
                .into_iter()
                .map(|(power, beta, name)| {
                    let beta = apply.hyper(name, beta, &power);
                    apply.graph().colocate_with(power.handle().op(), || power.assign(&power.read() * &beta))
                })
                .collect()
        })
    }
}
