//! Optimizers: from a loss to the operation that makes one training step (TF: `tf.train.Optimizer`).

mod adagrad;
mod adam;
mod apply;
mod gradient_descent;
mod momentum;
mod rmsprop;

pub use adagrad::Adagrad;
pub use adam::Adam;
pub use apply::{Apply, UpdateRule};
pub use gradient_descent::GradientDescent;
pub use momentum::Momentum;
pub use rmsprop::RmsProp;

use crate::variable::{Variable, variables};
use ferroflow_graph::{Grad, Operation, Output, gradients, keys};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// A way to make a loss smaller.
pub trait Optimizer {
    /// The operation that changes the variables against their gradients and then adds 1 to `step`, if given.
    ///
    /// Errors: `InvalidArgument` if there is no gradient at all; the graph's first error.
    fn apply_gradients(&self, grads: &[(Grad, Variable)], step: Option<&Variable>) -> Result<Operation>;

    /// The gradients of `loss` with respect to the graph's trainable variables; those that it does not depend on are left out.
    ///
    /// Errors: `InvalidArgument` if there are none; `Unimplemented` for an op without gradient.
    fn compute_gradients(&self, loss: &Output) -> Result<Vec<(Grad, Variable)>> {
        let vars = variables(loss.graph(), keys::TRAINABLE_VARIABLES)?;
        let handles: Vec<Output> = vars.iter().map(|v| v.handle().clone()).collect();
        if handles.is_empty() {
            return Err(invalid_argument("No variables to optimize."));
        }
        let grads = gradients(std::slice::from_ref(loss), &handles, None)?;
        let pairs: Vec<(Grad, Variable)> = grads.into_iter().zip(vars).filter_map(|(g, v)| g.map(|g| (g, v))).collect();
        if pairs.is_empty() {
            return Err(invalid_argument(format!("No gradients provided for any variable: {} depends on none", loss.name())));
        }
        Ok(pairs)
    }

    /// The operation that makes one training step: gradients, update, `step` + 1. An error becomes the graph's.
    #[track_caller]
    fn minimize(&self, loss: impl Into<Output>, step: Option<&Variable>) -> Operation
    where
        Self: Sized,
    {
        let loss = loss.into();
        match self.compute_gradients(&loss).and_then(|grads| self.apply_gradients(&grads, step)) {
            Ok(op) => op,
            Err(e) => {
                loss.graph().fail(e);
                loss.op().clone()
            }
        }
    }
}

impl<R: UpdateRule> Optimizer for R {
    fn apply_gradients(&self, grads: &[(Grad, Variable)], step: Option<&Variable>) -> Result<Operation> {
        apply::apply_gradients(self, grads, step)
    }
}
