//! Hooks: what else happens around the steps of a monitored session (TF: `SessionRunHook`).

mod checkpoint;
mod logging;
mod nan;
mod step_counter;
mod stop_at_step;
mod summary_saver;
mod timer;

pub use checkpoint::CheckpointSaver;
pub use logging::Logging;
pub use nan::NanLoss;
pub use step_counter::StepCounter;
pub use stop_at_step::{StopAtStep, stop_at_step};
pub use summary_saver::{SummarySaver, summary_every};
pub use timer::{Every, Trigger};

use crate::session::Session;
use crate::summary_writer::SummaryWriter;
use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::{Result, Tensor};
use std::sync::Arc;

/// What a hook sees after a step.
pub struct RunValues<'a> {
    /// The session, for runs of the hook's own.
    pub session: &'a Session,
    /// What the hook asked for, in its order.
    pub fetched: &'a [Tensor],
    /// Whether to stop training; a hook sets it and nobody clears it.
    pub stop: &'a mut bool,
}

/// Something that happens around steps. All methods do nothing by default.
pub trait Hook: Send {
    /// Offers the event file of the monitored session, before anything else.
    fn use_writer(&mut self, _writer: &Arc<SummaryWriter>) {}

    /// Before the session is made: the graph may still grow.
    ///
    /// Errors: end the training before it begins.
    fn begin(&mut self, _graph: &Graph) -> Result<()> {
        Ok(())
    }

    /// After a session has been made or, after a failure, made again.
    ///
    /// Errors: as those of a step.
    fn after_create_session(&mut self, _session: &Session) -> Result<()> {
        Ok(())
    }

    /// What to fetch together with the coming step.
    fn before_run(&mut self) -> Vec<Output> {
        Vec::new()
    }

    /// After a step.
    ///
    /// Errors: end the training.
    fn after_run(&mut self, _values: RunValues) -> Result<()> {
        Ok(())
    }

    /// After the last step, if training ended well.
    ///
    /// Errors: reported, after all other hooks have ended.
    fn end(&mut self, _session: &Session) -> Result<()> {
        Ok(())
    }
}
