//! `Reader`: takes pieces of work, mostly file names, from a queue and hands out what they hold (TF: `ReaderInterface`, `ReaderBase`).
//!
//! Requests are served one after the other. One that needs work while the queue is empty holds no thread: the queue calls back.

use super::reader_source::{ReaderKind, Source};
use crate::dataflow::queue::Queue;
use bytes::Bytes;
use ferroflow_graph::kernel::{CancellationManager, CancellationToken, ComputePool, Resource};
use ferroflow_io::{Cursor, put_varint};
use ferroflow_tensor::error::{cancelled, invalid_argument, unimplemented};
use ferroflow_tensor::{Result, Tensor};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

/// A key and a value.
pub(super) type Pair = (Bytes, Bytes);
/// Called once with what was read.
pub(super) type ReadDone = Box<dyn FnOnce(Result<Vec<Pair>>) + Send>;

/// Somebody who wants to read.
pub(super) struct Request {
    pub(super) queue: Arc<Queue>,
    pub(super) cancellation: Arc<CancellationManager>,
    pub(super) pool: Arc<dyn ComputePool>,
    /// At most so many pairs; the end of a piece of work ends the request, too, if it has one already.
    pub(super) wanted: usize,
    pub(super) pairs: Vec<Pair>,
    pub(super) done: ReadDone,
}

struct Waiting {
    id: u64,
    request: Request,
    token: Option<CancellationToken>,
}

#[derive(Default)]
struct State {
    started: i64,
    finished: i64,
    produced: i64,
    work: Bytes,
    source: Option<Source>,
    waiting: VecDeque<Waiting>,
    is_busy: bool,
    next_id: u64,
}

/// A reader.
pub(super) struct Reader {
    kind: ReaderKind,
    /// Its op and name, for messages.
    label: String,
    state: Mutex<State>,
}

impl Resource for Reader {
    fn type_name(&self) -> &'static str {
        "Reader"
    }
}

/// What the queue gave.
type Work = Result<Vec<Tensor>>;

/// Where a request and the work it waits for meet.
enum Meeting {
    Nobody,
    Work(Work),
    Request(Request),
}

enum Progress {
    Done(Result<Vec<Pair>>),
    NeedsWork,
}

impl Reader {
    /// What TF calls the type of a reader's resource handle.
    pub(super) const TYPE_NAME: &str = "N10tensorflow15ReaderInterfaceE";

    /// A reader that has not begun.
    pub(super) fn new(kind: ReaderKind, label: String) -> Reader {
        Reader { kind, label, state: Mutex::default() }
    }

    /// What it reads.
    pub(super) fn kind(&self) -> &ReaderKind {
        &self.kind
    }

    /// How many pairs it has handed out, and how many pieces of work it is through with.
    pub(super) fn counts(&self) -> (i64, i64) {
        let state = self.state.lock();
        (state.produced, state.finished)
    }

    /// Makes it as new.
    pub(super) fn reset(&self) {
        let mut state = self.state.lock();
        (state.started, state.finished, state.produced) = (0, 0, 0);
        state.work = Bytes::new();
        state.source = None;
    }

    /// Its state as TF's message `ReaderBaseState`.
    ///
    /// Errors: `Unimplemented` for a reader that may stand within a file.
    pub(super) fn serialize(&self) -> Result<Bytes> {
        if !self.kind.has_state() {
            return Err(unimplemented("Reader SerializeState"));
        }
        let state = self.state.lock();
        let mut out = Vec::new();
        for (field, number) in [(1u64, state.started), (2, state.finished), (3, state.produced)] {
            if number != 0 {
                put_varint(&mut out, field << 3);
                put_varint(&mut out, number as u64);
            }
        }
        if !state.work.is_empty() {
            put_varint(&mut out, 4 << 3 | 2);
            put_varint(&mut out, state.work.len() as u64);
            out.extend_from_slice(&state.work);
        }
        Ok(out.into())
    }

    /// Takes up a state that [`Reader::serialize`] wrote.
    ///
    /// Errors: `Unimplemented` for a reader that may stand within a file; `InvalidArgument` for bytes that are no state.
    pub(super) fn restore(&self, bytes: &Bytes) -> Result<()> {
        if !self.kind.has_state() {
            return Err(unimplemented("Reader RestoreState"));
        }
        let bad = || invalid_argument(format!("Could not parse state for {}: {}", self.label, bytes.escape_ascii()));
        let mut cursor = Cursor::new(bytes);
        let (mut numbers, mut work) = ([0i64; 3], Bytes::new());
        while !cursor.is_empty() {
            match cursor.varint().map_err(|_| bad())? {
                tag @ (0x08 | 0x10 | 0x18) => numbers[(tag as usize >> 3) - 1] = cursor.varint().map_err(|_| bad())? as i64,
                0x22 => {
                    let length = usize::try_from(cursor.varint().map_err(|_| bad())?).unwrap_or(usize::MAX);
                    work = Bytes::copy_from_slice(cursor.take(length).map_err(|_| bad())?);
                }
                _ => return Err(bad()),
            }
        }
        let [started, finished, produced] = numbers;
        if started < 0 || finished < 0 || produced < 0 || started < finished {
            return Err(invalid_argument(format!("a reader cannot have started {started}, finished {finished} and produced {produced}")));
        }
        let mut state = self.state.lock();
        (state.started, state.finished, state.produced) = (started, finished, produced);
        state.work = work;
        state.source = None;
        Ok(())
    }

    /// Reads when those who came before have been served; calls `done` once.
    pub(super) fn read(self: &Arc<Self>, request: Request) {
        let cancellation = request.cancellation.clone();
        let id = {
            let mut state = self.state.lock();
            state.next_id += 1;
            let id = state.next_id;
            state.waiting.push_back(Waiting { id, request, token: None });
            if !std::mem::replace(&mut state.is_busy, true) {
                drop(state);
                return self.serve(None);
            }
            id
        };
        let reader = self.clone();
        match cancellation.register(move |_| reader.cancel(id)) {
            Err(_) => self.cancel(id),
            Ok(token) => {
                let mut state = self.state.lock();
                match state.waiting.iter_mut().find(|w| w.id == id) {
                    Some(waiting) => waiting.token = Some(token),
                    None => {
                        drop(state);
                        cancellation.deregister(token);
                    }
                }
            }
        }
    }

    /// Ends the wait of one who has not been served yet.
    fn cancel(&self, id: u64) {
        let mut state = self.state.lock();
        let Some(at) = state.waiting.iter().position(|w| w.id == id) else { return };
        let waiting = state.waiting.remove(at);
        drop(state);
        if let Some(waiting) = waiting {
            (waiting.request.done)(Err(cancelled("Reading was cancelled")));
        }
    }

    /// Serves requests, first one that has waited for work, until there is none or one has to wait.
    fn serve(self: &Arc<Self>, resumed: Option<(Request, Work)>) {
        let mut resumed = resumed.map(|(request, work)| (request, Some(work)));
        loop {
            let (mut request, mut work) = match resumed.take() {
                Some(next) => next,
                None => {
                    let mut state = self.state.lock();
                    let Some(next) = state.waiting.pop_front() else {
                        state.is_busy = false;
                        return;
                    };
                    drop(state);
                    if let Some(token) = next.token {
                        next.request.cancellation.deregister(token);
                    }
                    (next.request, None)
                }
            };
            match self.advance(&mut request, work.take()) {
                Progress::Done(result) => (request.done)(result),
                Progress::NeedsWork => match self.ask(request) {
                    Some((request, work)) => resumed = Some((request, Some(work))),
                    None => return,
                },
            }
        }
    }

    /// Asks the queue for work. `None` if there is none yet: the request then goes on when there is.
    fn ask(self: &Arc<Self>, request: Request) -> Option<(Request, Work)> {
        let meeting = Arc::new(Mutex::new(Meeting::Nobody));
        let (reader, place) = (self.clone(), meeting.clone());
        let (queue, cancellation) = (request.queue.clone(), request.cancellation.clone());
        let arrived = move |work: Result<Vec<Vec<Tensor>>>| {
            let work = work.map(|mut elements| elements.pop().unwrap_or_default());
            let mut meeting = place.lock();
            match std::mem::replace(&mut *meeting, Meeting::Nobody) {
                Meeting::Request(request) => {
                    drop(meeting);
                    let pool = request.pool.clone();
                    // Files are not read on the thread that fills the queue.
                    pool.spawn(Box::new(move || reader.serve(Some((request, work)))));
                }
                _ => *meeting = Meeting::Work(work),
            }
        };
        queue.dequeue(1, false, &cancellation, Box::new(arrived));
        let mut meeting = meeting.lock();
        match std::mem::replace(&mut *meeting, Meeting::Nobody) {
            Meeting::Work(work) => Some((request, work)),
            _ => {
                *meeting = Meeting::Request(request);
                None
            }
        }
    }

    fn advance(&self, request: &mut Request, work: Option<Work>) -> Progress {
        let mut state = self.state.lock();
        let started = match work {
            None => Ok(()),
            Some(work) => state.start(&self.kind, work),
        };
        match started.and_then(|()| state.read(&self.kind, request)) {
            Ok(true) => Progress::Done(Ok(std::mem::take(&mut request.pairs))),
            Ok(false) => Progress::NeedsWork,
            Err(e) => Progress::Done(Err(e)),
        }
    }
}

impl State {
    fn start(&mut self, kind: &ReaderKind, work: Work) -> Result<()> {
        self.work = Bytes::new();
        let element = work?;
        let name = match element.as_slice() {
            [name] if name.shape().is_scalar() => name.as_strings()?.first().cloned().unwrap_or_default(),
            _ => return Err(invalid_argument("Expected to dequeue scalar string")),
        };
        self.source = Some(Source::open(kind, &name)?);
        self.work = name;
        self.started += 1;
        Ok(())
    }

    /// Whether the request is served; otherwise it needs new work.
    fn read(&mut self, kind: &ReaderKind, request: &mut Request) -> Result<bool> {
        loop {
            if request.pairs.len() >= request.wanted {
                return Ok(true);
            }
            if self.finished >= self.started {
                return Ok(!request.pairs.is_empty());
            }
            let source = match &mut self.source {
                Some(source) => source,
                // A restored state has work, but nothing open.
                none => none.insert(Source::open(kind, &self.work)?),
            };
            let pair = source.next(&self.work)?;
            let is_at_end = pair.is_none() || source.is_of_one_piece();
            if let Some(pair) = pair {
                self.produced += 1;
                request.pairs.push(pair);
            }
            if is_at_end {
                self.finished = self.started;
                self.source = None;
            }
        }
    }
}
