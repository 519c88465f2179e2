//! `SummaryWriter`: an event file that several hooks write to (TF: `FileWriter`, `FileWriterCache`).

use ferroflow_graph::Graph;
use ferroflow_io::{EventWriter, LocalFileSystem};
use ferroflow_proto::Message;
use ferroflow_tensor::Result;
use parking_lot::Mutex;
use std::time::Duration;

/// How old unwritten events may get, in seconds.
const FLUSH_AFTER: Duration = Duration::from_secs(2);

/// An event file. Shared by the hooks of a session.
pub struct SummaryWriter {
    file: Mutex<EventWriter>,
    path: String,
}

impl SummaryWriter {
    /// A new event file in this directory.
    ///
    /// Errors: of creating it.
    pub fn create(dir: &str) -> Result<SummaryWriter> {
        let file = EventWriter::create(&LocalFileSystem::shared(), dir, "")?;
        Ok(SummaryWriter { path: file.path().to_owned(), file: Mutex::new(file) })
    }

    /// The file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Writes an encoded `Summary`.
    ///
    /// Errors: of writing.
    pub fn add_summary(&self, summary: &[u8], step: i64) -> Result<()> {
        self.write(|f| f.add_summary(summary, step))
    }

    /// Writes one number.
    ///
    /// Errors: of writing.
    pub fn add_scalar(&self, tag: &str, value: f32, step: i64) -> Result<()> {
        self.write(|f| f.add_scalar(tag, value, step))
    }

    /// Writes the graph, for TensorBoard's graph page.
    ///
    /// Errors: the graph's first error; of writing.
    pub fn add_graph(&self, graph: &Graph) -> Result<()> {
        let def = graph.to_graph_def()?;
        self.write(|f| f.add_graph(def.encode_to_vec()))
    }

    /// Notes that training starts at this step.
    ///
    /// Errors: of writing.
    pub fn session_started(&self, step: i64) -> Result<()> {
        self.write(|f| f.session_started(step))
    }

    /// Notes a checkpoint.
    ///
    /// Errors: of writing.
    pub fn checkpoint_saved(&self, path: &str, step: i64) -> Result<()> {
        self.write(|f| f.checkpoint_saved(path, step))
    }

    /// Writes out what is buffered.
    ///
    /// Errors: of writing.
    pub fn flush(&self) -> Result<()> {
        self.file.lock().flush()
    }

    fn write(&self, what: impl FnOnce(&mut EventWriter) -> Result<()>) -> Result<()> {
        let mut file = self.file.lock();
        what(&mut file)?;
        file.flush_every(FLUSH_AFTER)
    }
}
