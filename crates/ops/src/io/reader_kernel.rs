//! The kernels of the reader ops, for both kinds of handles.

use super::reader::{Reader, Request};
use super::reader_source::ReaderKind;
use crate::dataflow::queue::Queue;
use crate::dataflow::resource_handle::{self, object};
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, Outputs};
use std::sync::Arc;

/// The kernel of an op that makes a reader.
///
/// Errors: `InvalidArgument` for attributes that make no sense.
pub(super) fn make(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    ReaderKind::of(c.node)?;
    resource_handle::build(
        c,
        Reader::TYPE_NAME,
        |node, name| Ok(Reader::new(ReaderKind::of(node)?, format!("{} '{name}'", node.op_name().trim_end_matches("V2")))),
        |reader, node| match *reader.kind() == ReaderKind::of(node)? {
            true => Ok(()),
            false => Err(invalid_argument(format!("a reader {:?} is shared with node {}, which wants another", reader.kind(), node.name))),
        },
    )
}

/// The reader that input 0 names.
///
/// Errors: `NotFound` if there is none.
pub(super) fn reader(ctx: &OpKernelContext) -> Result<Arc<Reader>> {
    object(ctx.resources(), ctx.value(0)?)
}

struct ReadKernel {
    many: bool,
}

/// The kernel of `ReaderRead`, or of `ReaderReadUpTo`.
///
/// Errors: none.
pub(super) fn read(many: bool) -> Result<Box<dyn AsyncOpKernel>> {
    Ok(Box::new(ReadKernel { many }))
}

impl ReadKernel {
    fn start(&self, ctx: &AsyncOpContext) -> Result<(Arc<Reader>, Arc<Queue>, usize)> {
        let missing = || invalid_argument("a handle is missing");
        let resources = &ctx.step.resources;
        let reader = object::<Reader>(resources, ctx.inputs.first().ok_or_else(missing)?)?;
        let queue = object::<Queue>(resources, ctx.inputs.get(1).ok_or_else(missing)?)?;
        if queue.spec().component_types != [DType::String] {
            return Err(invalid_argument(format!("a reader needs a queue of strings, not of {:?}", queue.spec().component_types)));
        }
        if !self.many {
            return Ok((reader, queue, 1));
        }
        let n = ctx.input(2)?;
        if !n.shape().is_scalar() {
            return Err(invalid_argument(format!("num_records must be a scalar, got shape {}", n.shape())));
        }
        match usize::try_from(n.to_i64()?) {
            Ok(n) if n > 0 => Ok((reader, queue, n)),
            _ => Err(invalid_argument(format!("num_records must be positive, got {}", n.to_i64()?))),
        }
    }
}

impl AsyncOpKernel for ReadKernel {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let (reader, queue, wanted) = match self.start(&ctx) {
            Ok(started) => started,
            Err(e) => return done(Err(e)),
        };
        let many = self.many;
        let answer = move |pairs: Vec<(Bytes, Bytes)>| -> Result<Outputs> {
            let shape = if many { Shape::from_lens(&[pairs.len()])? } else { Shape::scalar() };
            let (keys, values): (Vec<Bytes>, Vec<Bytes>) = pairs.into_iter().unzip();
            let mut outputs = Outputs::new();
            for column in [keys, values] {
                outputs.push(Some(Tensor::strings(shape.clone(), column)?.into()));
            }
            Ok(outputs)
        };
        let (cancellation, pool) = (ctx.step.cancellation.clone(), ctx.step.pool.clone());
        let done = Box::new(move |pairs: Result<Vec<(Bytes, Bytes)>>| done(pairs.and_then(answer)));
        let request = Request { queue, cancellation, pool: pool.clone(), wanted, pairs: Vec::new(), done };
        // Files are not read on the thread that drives the step.
        pool.spawn(Box::new(move || reader.read(request)));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{OpTester, bare_step, strings};
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::error::cancelled;
    use ferroflow_tensor::{Code, DType, Result, Tensor};
    use std::sync::{Arc, mpsc};

    struct Setup {
        step: Arc<StepContext>,
        folder: tempfile::TempDir,
        queue: Tensor,
    }

    fn setup() -> Setup {
        let step = bare_step(1);
        let queue = OpTester::named("FIFOQueueV2").attr("component_types", vec![DType::String]).attr("shared_name", "q").step(&step);
        Setup { queue: queue.run_one().unwrap(), step, folder: tempfile::tempdir().unwrap() }
    }

    impl Setup {
        fn file(&self, name: &str, contents: &[u8]) -> String {
            let path = self.folder.path().join(name);
            std::fs::write(&path, contents).unwrap();
            path.display().to_string()
        }

        fn put(&self, names: &[&str]) {
            let names = strings(&[names.len() as i64], names);
            OpTester::named("QueueEnqueueManyV2").input(self.queue.clone()).input_list([names]).step(&self.step).run().unwrap();
        }

        fn close(&self) {
            OpTester::named("QueueCloseV2").input(self.queue.clone()).step(&self.step).run().unwrap();
        }

        fn reader(&self, op: &str) -> OpTester {
            OpTester::named(op).attr("shared_name", "r").step(&self.step)
        }

        fn on(&self, op: &str, reader: &Tensor) -> OpTester {
            OpTester::named(op).input(reader.clone()).step(&self.step)
        }

        fn read(&self, reader: &Tensor) -> Result<(String, String)> {
            let out = self.on("ReaderReadV2", reader).input(self.queue.clone()).run()?;
            let text = |t: &Tensor| String::from_utf8_lossy(&t.as_strings().unwrap()[0]).into_owned();
            Ok((text(&out[0]).rsplit('/').next().unwrap_or_default().to_owned(), text(&out[1])))
        }

        fn count(&self, op: &str, reader: &Tensor) -> i64 {
            self.on(op, reader).run_one().unwrap().to_scalar().unwrap()
        }
    }

    #[test]
    fn lines_come_with_their_numbers_and_files_without_any_are_passed() {
        let s = setup();
        let (a, b) = (s.file("a", b"h\nl1\nl2\r\n\nlast"), s.file("b", b"h\n"));
        s.put(&[&b, &a, &b]);
        s.close();
        let r = s.reader("TextLineReaderV2").attr("skip_header_lines", 1i64).run_one().unwrap();
        for (key, value) in [("a:2", "l1"), ("a:3", "l2"), ("a:4", ""), ("a:5", "last")] {
            assert_eq!(s.read(&r).unwrap(), (key.to_owned(), value.to_owned()));
        }
        assert_eq!((s.count("ReaderNumRecordsProducedV2", &r), s.count("ReaderNumWorkUnitsCompletedV2", &r)), (4, 1));
        assert_eq!(s.read(&r).unwrap_err().code(), Code::OutOfRange);
        assert_eq!(s.count("ReaderNumWorkUnitsCompletedV2", &r), 3);
        assert_eq!(s.on("ReaderSerializeStateV2", &r).run().unwrap_err().code(), Code::Unimplemented);
        s.on("ReaderResetV2", &r).run().unwrap();
        assert_eq!(s.count("ReaderNumRecordsProducedV2", &r), 0);
    }

    #[test]
    fn pieces_of_one_length_may_overlap() {
        let s = setup();
        let f = s.file("f", b"HHaabbccF");
        s.put(&[&f]);
        s.close();
        let made = |hop: i64| {
            let op = OpTester::named("FixedLengthRecordReaderV2").attr("header_bytes", 3i64).attr("record_bytes", 2i64);
            op.attr("footer_bytes", 1i64).attr("hop_bytes", hop).attr("shared_name", "r").step(&s.step)
        };
        let r = made(1).run_one().unwrap();
        let values: Vec<_> = (0..4).map(|_| s.read(&r).unwrap()).collect();
        let expected = [("f:0", "ab"), ("f:1", "bb"), ("f:2", "bc"), ("f:3", "cc")];
        assert_eq!(values, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert_eq!(s.read(&r).unwrap_err().code(), Code::OutOfRange);
        assert_eq!(made(2).run().unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn several_pairs_are_read_up_to_the_end_of_a_file() {
        let s = setup();
        let a = s.file("a", b"1\n2\n3");
        s.put(&[&a, &a]);
        s.close();
        let r = s.reader("TextLineReaderV2").run_one().unwrap();
        let some = |n: i64| s.on("ReaderReadUpToV2", &r).input(s.queue.clone()).input(n).run();
        let values = |n: i64| some(n).map(|out| out[1].as_strings().unwrap().concat());
        assert_eq!(values(2).unwrap(), b"12");
        assert_eq!(values(2).unwrap(), b"3");
        assert_eq!(values(9).unwrap(), b"123");
        assert_eq!(some(0).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(some(1).unwrap_err().code(), Code::OutOfRange);
    }

    #[test]
    fn the_state_between_files_can_be_written_down() {
        let s = setup();
        s.put(&["x", "y"]);
        let r = s.reader("IdentityReaderV2").run_one().unwrap();
        assert_eq!(s.read(&r).unwrap(), ("x".to_owned(), "x".to_owned()));
        let state = s.on("ReaderSerializeStateV2", &r).run_one().unwrap();
        assert_eq!(state.as_strings().unwrap()[0], &b"\x08\x01\x10\x01\x18\x01\x22\x01x"[..]);
        let restore = |state: &[u8]| s.on("ReaderRestoreStateV2", &r).input(Tensor::string(state.to_vec())).run();
        restore(b"\x08\x02\x10\x01\x18\x01\x22\x01z").unwrap();
        assert_eq!(s.read(&r).unwrap(), ("z".to_owned(), "z".to_owned()));
        assert_eq!(s.read(&r).unwrap(), ("y".to_owned(), "y".to_owned()));
        for bad in [&b"\xff"[..], b"\x22\x09x", b"\x10\x01", b"\x2a\x00"] {
            assert_eq!(restore(bad).unwrap_err().code(), Code::InvalidArgument, "{bad:?}");
        }
        assert_eq!(restore(b"junk").unwrap_err().bare_message(), "Could not parse state for IdentityReader 'r': junk");
    }

    #[test]
    fn a_missing_file_is_an_error_and_the_next_one_is_read() {
        let s = setup();
        let a = s.file("a", b"line");
        s.put(&["/does/not/exist", &a]);
        let r = s.reader("TextLineReaderV2").run_one().unwrap();
        assert_eq!(s.read(&r).unwrap_err().code(), Code::NotFound);
        assert_eq!(s.read(&r).unwrap().1, "line");
    }

    #[test]
    fn readers_wait_for_work_and_can_be_cancelled() {
        let s = setup();
        let a = s.file("a", b"line");
        let r = s.reader("TextLineReaderV2").run_one().unwrap();
        let (send, results) = mpsc::channel();
        let start = |step: &Arc<StepContext>| {
            // Another step: its cancellation is its own, its resources are shared.
            let own = bare_step(1);
            let step = Arc::new(StepContext { resources: step.resources.clone(), ..Arc::into_inner(own).unwrap() });
            let (node, inputs) = OpTester::named("ReaderReadV2").input(r.clone()).input(s.queue.clone()).step(&step).build().unwrap();
            let send = send.clone();
            std::thread::spawn(move || send.send(node.run(inputs).map(drop)).unwrap());
            step
        };
        let (first, second) = (start(&s.step), start(&s.step));
        first.cancellation.cancel(cancelled("the client is gone"));
        assert_eq!(results.recv().unwrap().unwrap_err().code(), Code::Cancelled);
        s.put(&[&a]);
        results.recv().unwrap().unwrap();
        drop(second);
    }
}
