//! Stops at a global step (TF: `StopAtStepHook`). With several workers the count is of all of them together.

use super::{Hook, RunValues};
use crate::global_step::global_step;
use crate::variable::Variable;
use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;

/// Stops training once the global step has reached a number.
pub struct StopAtStep {
    last: i64,
    step: Option<Variable>,
}

/// Stops training at this global step.
pub fn stop_at_step(last: i64) -> StopAtStep {
    StopAtStep { last, step: None }
}

impl Hook for StopAtStep {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(global_step(graph));
        Ok(())
    }

    fn before_run(&mut self) -> Vec<Output> {
        self.step.iter().map(|s| s.value()).collect()
    }

    fn after_run(&mut self, values: RunValues) -> Result<()> {
        let Some(step) = &self.step else { return Err(internal("the hook was used before its session")) };
        let read = values.fetched.first().ok_or_else(|| internal("the global step was not fetched"))?.to_scalar::<i64>()?;
        // The read may be from before this step's own update.
        if read + 1 >= self.last && values.session.run(&step.value())?.to_scalar::<i64>()? >= self.last {
            *values.stop = true;
        }
        Ok(())
    }
}
