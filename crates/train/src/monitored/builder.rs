//! Options of a monitored session, and its start.

use super::MonitoredTrainingSession;
use super::manager::{Connect, SessionManager};
use super::recovery::{Recovery, RecoveryLimit};
use crate::global_step::global_step;
use crate::hook::{CheckpointSaver, Every, Hook, StepCounter};
use crate::saver::Saver;
use crate::session::Session;
use crate::summary_writer::SummaryWriter;
use crate::variable::variables;
use ferroflow_graph::{Graph, keys};
use ferroflow_tensor::Result;
use std::sync::Arc;
use std::time::Duration;

/// Options of a monitored session; see [`MonitoredBuilder::new`].
pub struct MonitoredBuilder {
    graph: Graph,
    connect: Connect,
    is_chief: bool,
    checkpoint_dir: Option<String>,
    save_every: Every,
    max_to_keep: usize,
    hooks: Vec<Box<dyn Hook>>,
    wait_limit: Duration,
    recovery_limit: RecoveryLimit,
}

impl MonitoredBuilder {
    /// For a graph whose sessions `connect` opens. By default: chief, no checkpoints, a checkpoint every 600 s once there is a directory,
    /// two hours of waiting for the chief, 30 recoveries a minute.
    pub fn new(graph: &Graph, connect: impl Fn(&Graph) -> Result<Session> + Send + 'static) -> MonitoredBuilder {
        MonitoredBuilder {
            graph: graph.clone(),
            connect: Box::new(connect),
            is_chief: true,
            checkpoint_dir: None,
            save_every: Every::Time(Duration::from_secs(600)),
            max_to_keep: 5,
            hooks: Vec::new(),
            wait_limit: Duration::from_secs(7200),
            recovery_limit: RecoveryLimit::default(),
        }
    }

    /// Whether this replica initialises, restores and saves for all.
    pub fn is_chief(mut self, is_chief: bool) -> Self {
        self.is_chief = is_chief;
        self
    }

    /// Where the chief saves checkpoints (`model.ckpt-<step>`) and events, and restores from.
    pub fn checkpoint_dir(mut self, dir: impl Into<String>) -> Self {
        self.checkpoint_dir = Some(dir.into());
        self
    }

    /// How often the chief saves, in seconds.
    pub fn save_every_secs(mut self, secs: u64) -> Self {
        self.save_every = Every::Time(Duration::from_secs(secs));
        self
    }

    /// How often the chief saves, in global steps.
    pub fn save_every_steps(mut self, steps: i64) -> Self {
        self.save_every = Every::Steps(steps);
        self
    }

    /// How many checkpoints are kept; 0 keeps all.
    pub fn max_to_keep(mut self, n: usize) -> Self {
        self.max_to_keep = n;
        self
    }

    /// Adds a hook.
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// How long a replica that is not chief waits for the variables.
    pub fn wait_limit(mut self, limit: Duration) -> Self {
        self.wait_limit = limit;
        self
    }

    /// When to give up making new sessions.
    pub fn recovery_limit(mut self, limit: RecoveryLimit) -> Self {
        self.recovery_limit = limit;
        self
    }

    /// Makes the session: hooks' `begin`, then initialisation or restore, then hooks' `after_create_session`. Lost tasks are survived
    /// from here on.
    ///
    /// Errors: the graph's first error; of hooks; of making the session, except what can be recovered from.
    pub fn start(self) -> Result<MonitoredTrainingSession> {
        let step = global_step(&self.graph);
        let mut hooks = self.hooks;
        let writer = match (&self.checkpoint_dir, self.is_chief) {
            (Some(dir), true) => Some(Arc::new(SummaryWriter::create(dir)?)),
            _ => None,
        };
        if let Some(writer) = &writer {
            hooks.iter_mut().for_each(|h| h.use_writer(writer));
        }
        let saver = Arc::new(Saver::new(&self.graph, &variables(&self.graph, keys::GLOBAL_VARIABLES)?)?.max_to_keep(self.max_to_keep));
        if let (Some(dir), Some(writer)) = (&self.checkpoint_dir, &writer) {
            let prefix = format!("{}/model.ckpt", dir.trim_end_matches('/'));
            hooks.insert(0, Box::new(CheckpointSaver::new(saver.clone(), prefix, self.save_every).events(writer.clone())));
            hooks.insert(0, Box::new(StepCounter::new(Every::Steps(100), Some(writer.clone()))));
        }
        hooks.iter_mut().try_for_each(|h| h.begin(&self.graph))?;
        let manager = SessionManager::new(&self.graph, self.connect, self.is_chief, self.checkpoint_dir.clone(), saver, self.wait_limit)?;
        self.graph.check()?;
        if let Some(writer) = &writer {
            writer.add_graph(&self.graph)?;
        }
        let mut monitored =
            MonitoredTrainingSession { manager, session: None, hooks, recovery: Recovery::new(self.recovery_limit), stop: false };
        let made = monitored.manager.make().and_then(|session| {
            monitored.hooks.iter_mut().try_for_each(|h| h.after_create_session(&session))?;
            Ok(session)
        });
        match made {
            Ok(session) => monitored.session = Some(session),
            Err(e) if Recovery::is_recoverable(&e) => monitored.recover(e)?,
            Err(e) => return Err(e),
        }
        if let Some(writer) = &writer {
            let at = monitored.raw_session()?.run(&step.value())?.to_scalar::<i64>()?;
            writer.session_started(at)?;
        }
        Ok(monitored)
    }
}
