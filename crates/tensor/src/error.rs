//! The one error of the library: a canonical code (TF's `error.Code`), a message, and where it happened.
//!
//! The code matters more than the text: a monitored session recovers on `Aborted` and `Unavailable` and on
//! nothing else. `derived` marks a consequence of another failure (TF's `DerivedStatus`), so that whoever
//! collects several errors of one step can report the root cause.

use std::fmt;

/// Canonical status codes; the numbers are those of gRPC and of TF's `error.Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Code {
    /// Not an error.
    Ok = 0,
    /// The operation was cancelled, usually by its caller.
    Cancelled = 1,
    /// An error of unknown kind.
    Unknown = 2,
    /// The caller gave an argument that is wrong whatever the state of the system.
    InvalidArgument = 3,
    /// The time limit passed first.
    DeadlineExceeded = 4,
    /// Something that was named does not exist.
    NotFound = 5,
    /// Something that was to be made exists already.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// Memory, disk or a quota is used up.
    ResourceExhausted = 8,
    /// The system is not in the state that the operation needs.
    FailedPrecondition = 9,
    /// The operation was given up, typically because a task restarted; retry at a higher level.
    Aborted = 10,
    /// Past the end (of a queue, a data set, an index range).
    OutOfRange = 11,
    /// Not supported by this build.
    Unimplemented = 12,
    /// An invariant is broken.
    Internal = 13,
    /// The peer cannot be reached now.
    Unavailable = 14,
    /// Stored data are damaged.
    DataLoss = 15,
    /// No valid credentials.
    Unauthenticated = 16,
}

impl Code {
    /// The code of a number on the wire; numbers that no code has become `Unknown`.
    pub fn from_i32(n: i32) -> Code {
        use Code::*;
        const ALL: [Code; 17] = [
            Ok,
            Cancelled,
            Unknown,
            InvalidArgument,
            DeadlineExceeded,
            NotFound,
            AlreadyExists,
            PermissionDenied,
            ResourceExhausted,
            FailedPrecondition,
            Aborted,
            OutOfRange,
            Unimplemented,
            Internal,
            Unavailable,
            DataLoss,
            Unauthenticated,
        ];
        usize::try_from(n).ok().and_then(|i| ALL.get(i).copied()).unwrap_or(Unknown)
    }
}

/// The library's error. One pointer wide, so that `Result` stays cheap on hot paths.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    message: String,
    node: Option<String>,
    task: Option<String>,
    derived: bool,
}

/// `Result` with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this code.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error(Box::new(Inner { code, message: message.into(), node: None, task: None, derived: false }))
    }

    /// Its canonical code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The message as it crosses the wire: TF's clients resolve the `{{node …}}` mark to source lines.
    pub fn message(&self) -> String {
        let i = &self.0;
        let mut text = String::new();
        if let Some(task) = &i.task {
            text.push_str(&format!("From {task}:\n"));
        }
        text.push_str(&i.message);
        if let Some(node) = &i.node {
            text.push_str(&format!("\n\t [[{{{{node {node}}}}}]]"));
        }
        text
    }

    /// Only the sentence, without node and task.
    pub fn bare_message(&self) -> &str {
        &self.0.message
    }

    /// The node that failed, if known.
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// Whether this is a consequence of another failure.
    pub fn is_derived(&self) -> bool {
        self.0.derived
    }

    /// Marks it as a consequence of another failure (TF: `StatusGroup::MakeDerived`).
    pub fn derived(mut self) -> Error {
        self.0.derived = true;
        self
    }

    /// Names the node at which it happened; the first name stays.
    pub fn at_node(mut self, name: &str) -> Error {
        self.0.node.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Names the task at which it happened, as TF does (`/job:ps/replica:0/task:0`); the first name stays.
    pub fn at_task(mut self, task: &str) -> Error {
        self.0.task.get_or_insert_with(|| task.to_owned());
        self
    }

    /// Puts words before the message, such as what was being done.
    pub fn context(mut self, what: impl fmt::Display) -> Error {
        self.0.message = format!("{what}: {}", self.0.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.code, self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Error {
        use std::io::ErrorKind as K;
        let code = match e.kind() {
            K::NotFound => Code::NotFound,
            K::PermissionDenied => Code::PermissionDenied,
            K::AlreadyExists => Code::AlreadyExists,
            K::StorageFull | K::QuotaExceeded | K::OutOfMemory => Code::ResourceExhausted,
            K::InvalidData | K::UnexpectedEof => Code::DataLoss,
            K::TimedOut => Code::DeadlineExceeded,
            K::AddrInUse => Code::AlreadyExists,
            K::ConnectionRefused | K::ConnectionReset | K::ConnectionAborted | K::BrokenPipe => Code::Unavailable,
            _ => Code::Unknown,
        };
        Error::new(code, e.to_string())
    }
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident $code:ident;)*) => {
        $($(#[$doc])* pub fn $name(message: impl Into<String>) -> Error { Error::new(Code::$code, message) })*
    };
}

constructors! {
    /// `Cancelled`.
    cancelled Cancelled;
    /// `Unknown`.
    unknown Unknown;
    /// `InvalidArgument`.
    invalid_argument InvalidArgument;
    /// `DeadlineExceeded`.
    deadline_exceeded DeadlineExceeded;
    /// `NotFound`.
    not_found NotFound;
    /// `AlreadyExists`.
    already_exists AlreadyExists;
    /// `PermissionDenied`.
    permission_denied PermissionDenied;
    /// `ResourceExhausted`.
    resource_exhausted ResourceExhausted;
    /// `FailedPrecondition`.
    failed_precondition FailedPrecondition;
    /// `Aborted`.
    aborted Aborted;
    /// `OutOfRange`.
    out_of_range OutOfRange;
    /// `Unimplemented`.
    unimplemented Unimplemented;
    /// `Internal`.
    internal Internal;
    /// `Unavailable`.
    unavailable Unavailable;
    /// `DataLoss`.
    data_loss DataLoss;
}
