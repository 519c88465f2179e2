//! Writes steps per second (TF: `StepCounterHook`).

use super::{Every, Hook, RunValues, Trigger};
use crate::global_step::global_step;
use crate::summary_writer::SummaryWriter;
use crate::variable::Variable;
use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;
use std::sync::Arc;

/// Logs global steps per second and writes them as `global_step/sec`.
pub struct StepCounter {
    trigger: Trigger,
    writer: Option<Arc<SummaryWriter>>,
    step: Option<Variable>,
}

impl StepCounter {
    /// Counts and reports every so often; writes to the event file, if given.
    pub fn new(every: Every, writer: Option<Arc<SummaryWriter>>) -> StepCounter {
        StepCounter { trigger: Trigger::new(every), writer, step: None }
    }
}

impl Hook for StepCounter {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(global_step(graph));
        Ok(())
    }

    fn before_run(&mut self) -> Vec<Output> {
        self.step.iter().map(|s| s.value()).collect()
    }

    fn after_run(&mut self, values: RunValues) -> Result<()> {
        let step = values.fetched.first().ok_or_else(|| internal("the global step was not fetched"))?.to_scalar::<i64>()?;
        if !self.trigger.is_due(step) {
            return Ok(());
        }
        if let Some((steps, time)) = self.trigger.fired(step)
            && !time.is_zero()
        {
            let per_second = steps as f64 / time.as_secs_f64();
            tracing::info!(step, "global_step/sec: {per_second:.1}");
            if let Some(writer) = &self.writer {
                writer.add_scalar("global_step/sec", per_second as f32, step)?;
            }
        }
        Ok(())
    }
}
