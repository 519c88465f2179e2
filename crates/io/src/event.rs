//! Event files: what TensorBoard reads (TF: `EventsWriter`, `summary.FileWriter`).
//!
//! An event file is a TFRecord file of `Event` messages; the first says which version of the format it is.

use crate::file_system::{FileSystem, RandomAccessFile, Sequential, WritableFile, join};
use crate::record::{RecordReader, RecordWriter};
use crate::summary;
use ferroflow_proto::event::What;
use ferroflow_proto::session_log::SessionStatus;
use ferroflow_proto::{Event, Message, SessionLog, SourceMetadata, Summary};
use ferroflow_tensor::error::{Code, Result, data_loss};
use std::io::{BufReader, BufWriter};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const FILE_VERSION: &str = "brain.Event:2";
const BUFFER_LEN: usize = 64 << 10;
const NAME_ATTEMPTS: usize = 100;

/// Writes the events of one run to a new file of its log directory.
pub struct EventWriter {
    records: RecordWriter<BufWriter<Box<dyn WritableFile>>>,
    path: String,
    last_flush: Instant,
}

impl EventWriter {
    /// Creates `logdir/events.out.tfevents.<seconds>.<hostname><suffix>` and writes its first event.
    ///
    /// The directory is created if need be. A second writer of the same second gets a number behind the suffix.
    ///
    /// Errors: those of the file system.
    pub fn create(fs: &Arc<dyn FileSystem>, logdir: &str, suffix: &str) -> Result<EventWriter> {
        fs.create_dir_all(logdir)?;
        let now = wall_time();
        let name = format!("events.out.tfevents.{:010}.{}", now as u64, hostname());
        let mut attempt = 0;
        let (path, file) = loop {
            let number = if attempt == 0 { String::new() } else { format!(".{attempt}") };
            let path = join(logdir, &format!("{name}{suffix}{number}"));
            match fs.create_new(&path) {
                Ok(file) => break (path, file),
                Err(e) if e.code() == Code::AlreadyExists && attempt < NAME_ATTEMPTS => attempt += 1,
                Err(e) => return Err(e),
            }
        };
        let records = RecordWriter::new(BufWriter::with_capacity(BUFFER_LEN, file));
        let mut writer = EventWriter { records, path, last_flush: Instant::now() };
        writer.write(&Event {
            wall_time: now,
            what: Some(What::FileVersion(FILE_VERSION.to_owned())),
            source_metadata: Some(SourceMetadata { writer: "ferroflow.io.event".to_owned() }),
            ..Event::default()
        })?;
        writer.flush()?;
        Ok(writer)
    }

    /// The file's path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Appends a serialized `Summary`, such as a summary op gives.
    ///
    /// Errors: `InvalidArgument` if it is none; those of the file.
    pub fn add_summary(&mut self, summary: &[u8], step: i64) -> Result<()> {
        let summary = summary::parse(summary)?;
        self.add_summary_message(summary, step)
    }

    /// Appends a summary.
    pub fn add_summary_message(&mut self, summary: Summary, step: i64) -> Result<()> {
        self.add(step, What::Summary(summary))
    }

    /// Appends the value of one number.
    pub fn add_scalar(&mut self, tag: &str, value: f32, step: i64) -> Result<()> {
        self.add_summary(&summary::scalar(tag, value), step)
    }

    /// Appends a serialized `GraphDef`.
    pub fn add_graph(&mut self, graph_def: impl Into<bytes::Bytes>) -> Result<()> {
        self.add(0, What::GraphDef(graph_def.into()))
    }

    /// Appends a serialized `MetaGraphDef`.
    pub fn add_meta_graph(&mut self, meta_graph_def: impl Into<bytes::Bytes>) -> Result<()> {
        self.add(0, What::MetaGraphDef(meta_graph_def.into()))
    }

    /// Notes that a session started at this step.
    pub fn session_started(&mut self, step: i64) -> Result<()> {
        self.add_session_log(SessionStatus::Start, "", step)
    }

    /// Notes that the session stopped at this step.
    pub fn session_stopped(&mut self, step: i64) -> Result<()> {
        self.add_session_log(SessionStatus::Stop, "", step)
    }

    /// Notes that a checkpoint was written.
    pub fn checkpoint_saved(&mut self, checkpoint_path: &str, step: i64) -> Result<()> {
        self.add_session_log(SessionStatus::Checkpoint, checkpoint_path, step)
    }

    fn add_session_log(&mut self, status: SessionStatus, checkpoint_path: &str, step: i64) -> Result<()> {
        let log = SessionLog { status: status.into(), checkpoint_path: checkpoint_path.to_owned(), msg: String::new() };
        self.add(step, What::SessionLog(log))
    }

    fn add(&mut self, step: i64, what: What) -> Result<()> {
        self.write(&Event { wall_time: wall_time(), step, what: Some(what), source_metadata: None })
    }

    /// Appends any event.
    pub fn write(&mut self, event: &Event) -> Result<()> {
        self.records.write(&event.encode_to_vec()).map_err(|e| e.context(&self.path))
    }

    /// Makes all events so far visible to readers.
    pub fn flush(&mut self) -> Result<()> {
        self.last_flush = Instant::now();
        self.records.flush().map_err(|e| e.context(&self.path))
    }

    /// Flushes if the last flush was at least `interval` ago; call it after adding events.
    pub fn flush_every(&mut self, interval: Duration) -> Result<()> {
        if self.last_flush.elapsed() >= interval { self.flush() } else { Ok(()) }
    }

    /// Flushes, brings the file to the disk and closes it.
    pub fn close(self) -> Result<()> {
        let mut out = self.records.finish().map_err(|e| e.context(&self.path))?;
        out.get_mut().sync()
    }
}

/// Seconds since the epoch.
fn wall_time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

fn hostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String = name.trim().chars().filter(|c| !c.is_control() && *c != '/').collect();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

/// Reads the events of a file, also of one that is still being written.
pub struct EventReader {
    records: RecordReader<BufReader<Sequential>>,
    path: String,
}

impl EventReader {
    /// Opens an event file.
    ///
    /// Errors: `NotFound`; those of the file system.
    pub fn open(fs: &Arc<dyn FileSystem>, path: &str) -> Result<EventReader> {
        Ok(EventReader::new(fs.open(path)?, path))
    }

    /// Reads events from a file that is open; `path` is for errors.
    pub fn new(file: Box<dyn RandomAccessFile>, path: &str) -> EventReader {
        let input = BufReader::with_capacity(BUFFER_LEN, Sequential::new(file));
        EventReader { records: RecordReader::new(input), path: path.to_owned() }
    }

    /// The next event, or `None` at the end so far; asked again later, it gives what was added.
    ///
    /// Errors: `DataLoss` with the offset if the file is damaged.
    pub fn next_event(&mut self) -> Result<Option<Event>> {
        let offset = self.records.offset();
        let Some(record) = self.records.next_record().map_err(|e| e.context(&self.path))? else { return Ok(None) };
        let event = Event::decode(record.as_slice());
        event.map(Some).map_err(|e| data_loss(format!("{}: the record at {offset} is no event: {e}", self.path)))
    }
}

impl Iterator for EventReader {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        self.next_event().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::{LocalFileSystem, base_name};

    #[test]
    fn events_come_back_in_order_while_the_file_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let fs = LocalFileSystem::shared();
        let logdir = dir.path().join("log").to_str().unwrap().to_owned();
        let mut writer = EventWriter::create(&fs, &logdir, "").unwrap();
        let mut reader = EventReader::open(&fs, writer.path()).unwrap();
        let first = reader.next_event().unwrap().unwrap();
        assert_eq!(first.what, Some(What::FileVersion("brain.Event:2".to_owned())));
        assert!(first.wall_time > 1e9);
        assert!(reader.next_event().unwrap().is_none());

        writer.session_started(5).unwrap();
        writer.add_graph(vec![1, 2]).unwrap();
        writer.add_scalar("loss", 0.5, 6).unwrap();
        writer.checkpoint_saved("dir/model.ckpt-6", 6).unwrap();
        writer.flush_every(Duration::ZERO).unwrap();
        let events: Vec<Event> = reader.by_ref().map(Result::unwrap).collect();
        assert_eq!(events.iter().map(|e| e.step).collect::<Vec<_>>(), [5, 0, 6, 6]);
        assert_eq!(events[1].what, Some(What::GraphDef(vec![1, 2].into())));
        let Some(What::Summary(s)) = &events[2].what else { panic!("no summary") };
        assert_eq!(s.encode_to_vec(), summary::scalar("loss", 0.5));
        let Some(What::SessionLog(log)) = &events[3].what else { panic!("no log") };
        assert_eq!((log.status(), log.checkpoint_path.as_str()), (SessionStatus::Checkpoint, "dir/model.ckpt-6"));
        writer.close().unwrap();
    }

    #[test]
    fn two_writers_of_one_second_have_two_files_that_tensorboard_finds() {
        let dir = tempfile::tempdir().unwrap();
        let fs = LocalFileSystem::shared();
        let logdir = dir.path().to_str().unwrap();
        let writers: Vec<EventWriter> = (0..3).map(|_| EventWriter::create(&fs, logdir, ".v2").unwrap()).collect();
        assert_eq!(fs.list_dir(logdir).unwrap().len(), 3);
        for w in &writers {
            assert!(base_name(w.path()).starts_with("events.out.tfevents."));
        }
    }

    #[test]
    fn what_is_no_summary_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = EventWriter::create(&LocalFileSystem::shared(), dir.path().to_str().unwrap(), "").unwrap();
        assert_eq!(writer.add_summary(b"\xff\xff", 1).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn a_record_that_is_no_event_is_data_loss() {
        let mut records = RecordWriter::new(Vec::new());
        records.write(b"\xff\xff").unwrap();
        let file = records.finish().unwrap();
        assert_eq!(EventReader::new(Box::new(file), "f").next_event().unwrap_err().code(), Code::DataLoss);
    }
}
