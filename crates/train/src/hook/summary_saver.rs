//! Writes summaries while training goes on (TF: `SummarySaverHook`).

use super::{Every, Hook, RunValues, Trigger};
use crate::global_step::global_step;
use crate::session::Session;
use crate::summary::merge_all;
use crate::summary_writer::SummaryWriter;
use crate::variable::Variable;
use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;
use std::sync::Arc;

/// Writes all summaries of the graph with the first step and then every so often.
pub struct SummarySaver {
    every: Every,
    trigger: Trigger,
    writer: Option<Arc<SummaryWriter>>,
    step: Option<Variable>,
    merged: Option<Output>,
    asked: bool,
    /// The last step that was seen, by which the coming one is judged.
    seen: i64,
}

/// Writes all summaries every `steps` steps into the checkpoint directory of the monitored session.
pub fn summary_every(steps: i64) -> SummarySaver {
    SummarySaver::new(Every::Steps(steps))
}

impl SummarySaver {
    /// Writes every so often, into the checkpoint directory of the monitored session unless a writer is given.
    pub fn new(every: Every) -> SummarySaver {
        SummarySaver { every, trigger: Trigger::new(every), writer: None, step: None, merged: None, asked: false, seen: -1 }
    }

    /// Writes to this event file.
    pub fn events(mut self, writer: Arc<SummaryWriter>) -> SummarySaver {
        self.writer = Some(writer);
        self
    }
}

impl Hook for SummarySaver {
    fn use_writer(&mut self, writer: &Arc<SummaryWriter>) {
        self.writer.get_or_insert_with(|| writer.clone());
    }

    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(global_step(graph));
        self.merged = merge_all(graph)?;
        Ok(())
    }

    fn after_create_session(&mut self, _: &Session) -> Result<()> {
        self.trigger = Trigger::new(self.every);
        Ok(())
    }

    fn before_run(&mut self) -> Vec<Output> {
        let mut fetches: Vec<Output> = self.step.iter().map(|s| s.value()).collect();
        self.asked = self.writer.is_some() && self.merged.is_some() && self.trigger.is_due(self.seen + 1);
        if let (true, Some(merged)) = (self.asked, &self.merged) {
            fetches.push(merged.clone());
        }
        fetches
    }

    fn after_run(&mut self, values: RunValues) -> Result<()> {
        let read = values.fetched.first().ok_or_else(|| internal("the global step was not fetched"))?.to_scalar::<i64>()?;
        self.seen = read;
        if let (true, Some(writer), Some(summary)) = (self.asked, &self.writer, values.fetched.get(1)) {
            self.trigger.fired(read + 1);
            for s in summary.as_strings()? {
                writer.add_summary(s, read)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, _: &Session) -> Result<()> {
        self.writer.as_ref().map_or(Ok(()), |w| w.flush())
    }
}
