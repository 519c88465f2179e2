//! Making a session that is ready for training (TF: `SessionManager`).
//!
//! The chief restores the newest checkpoint or initialises; the others wait until the variables have values, looking often at first
//! and then every second, and say what they wait for.

use crate::saver::Saver;
use crate::session::Session;
use crate::variable::{Variable, initializer_of, variables};
use ferroflow_graph::{Graph, Operation, Output, keys};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{deadline_exceeded, failed_precondition};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Opens a session over the graph.
pub(super) type Connect = Box<dyn Fn(&Graph) -> Result<Session> + Send>;

/// How long to wait before looking again.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How often a wait is reported.
const REPORT_EVERY: Duration = Duration::from_secs(10);

pub(super) struct SessionManager {
    graph: Graph,
    connect: Connect,
    is_chief: bool,
    checkpoint_dir: Option<String>,
    saver: Arc<Saver>,
    init: Operation,
    local_init: Operation,
    global: Readiness,
    wait_limit: Duration,
}

/// The question which variables have no value yet.
struct Readiness {
    names: Vec<String>,
    flags: Vec<Output>,
}

impl Readiness {
    fn of(vars: &[Variable]) -> Readiness {
        Readiness { names: vars.iter().map(|v| v.name()).collect(), flags: vars.iter().map(|v| v.is_initialized()).collect() }
    }

    fn missing(&self, session: &Session) -> Result<Vec<&str>> {
        let flags = session.run(self.flags.iter().collect::<Vec<&Output>>())?;
        let mut missing = Vec::new();
        for (name, flag) in self.names.iter().zip(&flags) {
            if !flag.to_scalar::<bool>()? {
                missing.push(name.as_str());
            }
        }
        Ok(missing)
    }
}

impl SessionManager {
    pub(super) fn new(
        graph: &Graph,
        connect: Connect,
        is_chief: bool,
        checkpoint_dir: Option<String>,
        saver: Arc<Saver>,
        wait_limit: Duration,
    ) -> Result<SessionManager> {
        Ok(SessionManager {
            init: initializer_of(graph, keys::GLOBAL_VARIABLES, "init")?,
            local_init: initializer_of(graph, keys::LOCAL_VARIABLES, "init_local")?,
            global: Readiness::of(&variables(graph, keys::GLOBAL_VARIABLES)?),
            graph: graph.clone(),
            connect,
            is_chief,
            checkpoint_dir,
            saver,
            wait_limit,
        })
    }

    /// A session whose variables have values.
    ///
    /// Errors: of connecting, restoring and initialising; `DeadlineExceeded` naming the variables that the chief did not initialise.
    pub(super) fn make(&self) -> Result<Session> {
        let session = (self.connect)(&self.graph)?;
        if self.is_chief { self.prepare(&session) } else { self.wait(&session) }?;
        session.run(&self.local_init)?;
        Ok(session)
    }

    fn prepare(&self, session: &Session) -> Result<()> {
        let newest = match &self.checkpoint_dir {
            Some(dir) => self.saver.recover(dir)?,
            None => None,
        };
        match newest {
            Some(path) => {
                self.saver.restore(session, &path)?;
                tracing::info!(path, "restored");
            }
            None => session.run(&self.init)?,
        }
        let missing = self.global.missing(session)?;
        if missing.is_empty() {
            return Ok(());
        }
        Err(failed_precondition(format!("variables have no value after initialisation: {}", missing.join(", "))))
    }

    fn wait(&self, session: &Session) -> Result<()> {
        let start = Instant::now();
        let (mut pause, mut reported) = (FIRST_PAUSE, start);
        loop {
            let missing = self.global.missing(session)?;
            if missing.is_empty() {
                return Ok(());
            }
            let shown = missing.iter().take(5).copied().collect::<Vec<_>>().join(", ");
            let what = format!("{} variables that the chief initialises, such as {shown}", missing.len());
            if start.elapsed() >= self.wait_limit {
                return Err(deadline_exceeded(format!("waited {:.0} s for {what}", start.elapsed().as_secs_f64())));
            }
            if reported.elapsed() >= REPORT_EVERY {
                reported = Instant::now();
                tracing::info!("waiting for {what}, for {:.0} s", start.elapsed().as_secs_f64());
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
