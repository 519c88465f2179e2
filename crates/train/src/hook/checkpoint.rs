//! Saves checkpoints while training goes on (TF: `CheckpointSaverHook`).

use super::{Every, Hook, RunValues, Trigger};
use crate::global_step::global_step;
use crate::saver::Saver;
use crate::session::Session;
use crate::summary_writer::SummaryWriter;
use crate::variable::Variable;
use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;
use std::sync::Arc;

/// Saves at the first step, then every so often, and at the end.
pub struct CheckpointSaver {
    saver: Arc<Saver>,
    prefix: String,
    trigger: Trigger,
    last_saved: Option<i64>,
    step: Option<Variable>,
    writer: Option<Arc<SummaryWriter>>,
}

impl CheckpointSaver {
    /// Saves as `prefix-<global step>`.
    pub fn new(saver: Arc<Saver>, prefix: impl Into<String>, every: Every) -> CheckpointSaver {
        CheckpointSaver { saver, prefix: prefix.into(), trigger: Trigger::new(every), last_saved: None, step: None, writer: None }
    }

    /// Notes each checkpoint in the event file.
    pub fn events(mut self, writer: Arc<SummaryWriter>) -> CheckpointSaver {
        self.writer = Some(writer);
        self
    }

    fn step(&self) -> Result<&Variable> {
        self.step.as_ref().ok_or_else(|| internal("the hook was used before its session"))
    }

    fn save(&mut self, session: &Session, step: i64) -> Result<()> {
        self.trigger.fired(step);
        self.last_saved = Some(step);
        let path = self.saver.save(session, &self.prefix, step)?;
        tracing::info!(step, path, "checkpoint saved");
        match &self.writer {
            Some(writer) => writer.checkpoint_saved(&path, step),
            None => Ok(()),
        }
    }
}

impl Hook for CheckpointSaver {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(global_step(graph));
        Ok(())
    }

    fn after_create_session(&mut self, session: &Session) -> Result<()> {
        let step = session.run(&self.step()?.value())?.to_scalar::<i64>()?;
        self.save(session, step)
    }

    fn before_run(&mut self) -> Vec<Output> {
        self.step.iter().map(|s| s.value()).collect()
    }

    fn after_run(&mut self, values: RunValues) -> Result<()> {
        let read = values.fetched.first().ok_or_else(|| internal("the global step was not fetched"))?.to_scalar::<i64>()?;
        if !self.trigger.is_due(read + 1) {
            return Ok(());
        }
        let step = values.session.run(&self.step()?.value())?.to_scalar::<i64>()?;
        if self.trigger.is_due(step) { self.save(values.session, step) } else { Ok(()) }
    }

    fn end(&mut self, session: &Session) -> Result<()> {
        let step = session.run(&self.step()?.value())?.to_scalar::<i64>()?;
        if self.last_saved == Some(step) { Ok(()) } else { self.save(session, step) }
    }
}
