//! The object behind a summary writer's handle: an event file that is flushed now and then (TF: `SummaryFileWriter`).

use crate::prelude::*;
use crate::state::variable_access::handle_in;
use bytes::Bytes;
use ferroflow_graph::kernel::Resource;
use ferroflow_io::EventWriter;
use ferroflow_proto::Event;
use ferroflow_proto::event::What;
use ferroflow_tensor::error::data_loss;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An open event file.
pub(super) struct SummaryFileWriter {
    file: Mutex<(EventWriter, usize)>,
    /// So many events may wait for a flush.
    most: usize,
    /// So long may they wait.
    interval: Duration,
}

impl Resource for SummaryFileWriter {
    fn type_name(&self) -> &'static str {
        "SummaryWriterInterface"
    }
}

impl SummaryFileWriter {
    /// Creates a new event file in a directory.
    ///
    /// Errors: those of the file system.
    pub(super) fn create(logdir: &str, suffix: &str, most: usize, interval: Duration) -> Result<SummaryFileWriter> {
        let writer = EventWriter::create(&crate::io::arguments::file_system(), logdir, suffix)?;
        Ok(SummaryFileWriter { file: Mutex::new((writer, 0)), most, interval })
    }

    /// Writes an event.
    ///
    /// Errors: those of the file.
    pub(super) fn write(&self, event: &Event) -> Result<()> {
        let mut file = self.file.lock();
        let (writer, waiting) = &mut *file;
        writer.write(event)?;
        *waiting += 1;
        if *waiting > self.most {
            *waiting = 0;
            return writer.flush();
        }
        writer.flush_every(self.interval)
    }

    /// Writes what happened at a step.
    ///
    /// Errors: those of the file.
    pub(super) fn add(&self, step: i64, what: What) -> Result<()> {
        let wall_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        self.write(&Event { wall_time, step, what: Some(what), source_metadata: None })
    }

    /// Writes a serialised summary.
    ///
    /// Errors: `DataLoss` if it is none; those of the file.
    pub(super) fn add_summary(&self, step: i64, summary: &[u8]) -> Result<()> {
        let summary = ferroflow_proto::Message::decode(summary).map_err(|e| data_loss(format!("Bad tf.compat.v1.Summary: {e}")))?;
        self.add(step, What::Summary(summary))
    }

    /// Makes all events visible to readers.
    ///
    /// Errors: those of the file.
    pub(super) fn flush(&self) -> Result<()> {
        let mut file = self.file.lock();
        file.1 = 0;
        file.0.flush()
    }
}

/// The writer at input 0.
///
/// Errors: `NotFound` if it has not been created, or is closed.
pub(super) fn writer(ctx: &OpKernelContext) -> Result<Arc<SummaryFileWriter>> {
    ctx.resources().lookup_handle(handle_in(ctx.input(0)?)?)
}

/// The step at input 1.
///
/// Errors: `InvalidArgument` if it is no scalar.
pub(super) fn step(ctx: &OpKernelContext) -> Result<i64> {
    ctx.scalar(1, "step")
}

/// The scalar string at input `i`.
///
/// Errors: `InvalidArgument` if it is no scalar.
pub(super) fn string<'a>(ctx: &'a OpKernelContext, i: usize, name: &str) -> Result<&'a Bytes> {
    let t = ctx.input(i)?;
    match t.as_strings()? {
        [s] if t.shape().is_scalar() => Ok(s),
        _ => Err(invalid_argument(format!("{name} must be scalar, got shape {}", t.shape()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bare_step;
    use ferroflow_io::EventReader;
    use ferroflow_proto::Message;
    use ferroflow_proto::summary::value::Value as Kind;

    #[test]
    fn what_is_written_is_in_the_file_after_a_flush() {
        let dir = tempfile::tempdir().unwrap();
        let logdir = dir.path().join("log").display().to_string();
        let step = bare_step(1);
        let handle = OpTester::named("SummaryWriter").attr("shared_name", "w").step(&step).run_one().unwrap();
        let node = |op: &str| OpTester::named(op).input(handle.clone()).step(&step);
        assert_eq!(node("FlushSummaryWriter").run().unwrap_err().code(), Code::NotFound);
        let create =
            || node("CreateSummaryFileWriter").input(logdir.as_str()).input(10i32).input(1_000_000i32).input(".suffix").run().unwrap();
        create();
        // A second time it is there already.
        create();
        let at = |op: &str, t: i64| node(op).input(t);
        let image = || tensor(&[1, 1, 2, 1], &[0f32, 1.0]);
        at("WriteSummary", 3).input(tensor(&[2], &[1f32, 2.0])).input("t").input("").run().unwrap();
        at("WriteScalarSummary", 4).input("s").input(0.5f64).run().unwrap();
        at("WriteHistogramSummary", 5).input("h").input(tensor(&[2], &[true, false])).run().unwrap();
        at("WriteImageSummary", 6).input("i").input(image()).input(tensor(&[1], &[9u8])).attr("max_images", 1i64).run().unwrap();
        at("WriteAudioSummary", 7).input("a").input(tensor(&[1, 2], &[0f32, 2.0])).input(8000f32).run().unwrap();
        at("WriteRawProtoSummary", 8).input(Tensor::string(ferroflow_io::summary::scalar("r", 1.5))).run().unwrap();
        at("WriteGraphSummary", 9).input(Tensor::string("")).run().unwrap();
        let event = Event { step: 10, ..Event::default() };
        node("ImportEvent").input(Tensor::string(event.encode_to_vec())).run().unwrap();
        for bad in ["WriteRawProtoSummary", "WriteGraphSummary"] {
            assert_eq!(at(bad, 1).input(Tensor::string(vec![0xff])).run().unwrap_err().code(), Code::DataLoss);
        }
        let nan = at("WriteHistogramSummary", 5).input("h").input(f32::NAN).run().unwrap_err();
        assert_eq!(nan.code(), Code::InvalidArgument);
        node("FlushSummaryWriter").run().unwrap();
        let fs = crate::io::arguments::file_system();
        let files = fs.list_dir(&logdir).unwrap();
        assert_eq!(files.len(), 1);
        let path = format!("{logdir}/{}", files[0]);
        assert!(path.ends_with(".suffix"));
        let events: Vec<Event> = EventReader::open(&fs, &path).unwrap().map(Result::unwrap).collect();
        assert_eq!(events.iter().map(|e| e.step).collect::<Vec<_>>(), [0, 3, 4, 5, 6, 7, 8, 9, 10]);
        let kinds = events.iter().filter_map(|e| match &e.what {
            Some(What::Summary(s)) => Some((s.value[0].tag.as_str(), s.value[0].value.clone().unwrap())),
            _ => None,
        });
        let kinds: Vec<_> = kinds.collect();
        assert_eq!(kinds.iter().map(|k| k.0).collect::<Vec<_>>(), ["t", "s", "h", "i/image", "a/audio/0", "r"]);
        assert!(matches!(&kinds[1].1, Kind::SimpleValue(v) if *v == 0.5));
        let Kind::Audio(audio) = &kinds[4].1 else { panic!("no audio") };
        // 2.0 is cut to the loudest that there is.
        assert!(audio.encoded_audio_string.starts_with(b"RIFF") && audio.encoded_audio_string.ends_with(&[0, 0, 0xff, 0x7f]));
        node("CloseSummaryWriter").run().unwrap();
        assert_eq!(node("FlushSummaryWriter").run().unwrap_err().code(), Code::NotFound);
    }
}
