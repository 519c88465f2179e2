//! Reports values of a step to a function (TF: `LoggingTensorHook`).

use super::{Every, Hook, RunValues, Trigger};
use crate::global_step::global_step;
use crate::variable::Variable;
use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{Result, Tensor};

type Report = Box<dyn FnMut(i64, &[Tensor]) + Send>;

/// Hands the global step and the values of some outputs to a function every so often.
pub struct Logging {
    outputs: Vec<Output>,
    trigger: Trigger,
    report: Report,
    step: Option<Variable>,
}

impl Logging {
    /// Reports these outputs.
    pub fn new(outputs: Vec<Output>, every: Every, report: impl FnMut(i64, &[Tensor]) + Send + 'static) -> Logging {
        Logging { outputs, trigger: Trigger::new(every), report: Box::new(report), step: None }
    }
}

impl Hook for Logging {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(global_step(graph));
        Ok(())
    }

    fn before_run(&mut self) -> Vec<Output> {
        self.step.iter().map(|s| s.value()).chain(self.outputs.iter().cloned()).collect()
    }

    fn after_run(&mut self, values: RunValues) -> Result<()> {
        let [step, rest @ ..] = values.fetched else { return Err(internal("the global step was not fetched")) };
        let step = step.to_scalar::<i64>()?;
        if self.trigger.is_due(step) {
            self.trigger.fired(step);
            (self.report)(step, rest);
        }
        Ok(())
    }
}
