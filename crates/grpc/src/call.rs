//! One call from the client's side: connects, sends, waits, and ends early on cancellation or when its time is up.
//!
//! Only what certainly did not reach the peer is tried again: a step that may have run must not run twice.

use crate::channel::{Channel, Link};
use crate::codec::ContentPath;
use crate::compression::Encoding;
use crate::frame::{Assembly, Message};
use crate::segments::Segments;
use crate::{line, metadata, status};
use ferroflow_distributed::{CallOptions, Done};
use ferroflow_graph::kernel::{CancellationManager, CancellationToken};
use ferroflow_tensor::error::{cancelled, deadline_exceeded, internal, unavailable};
use ferroflow_tensor::{Code, Error, Result};
use h2::Reason;
use http::Request;
use http::uri::{PathAndQuery, Scheme, Uri};
use std::future::Future;
use std::time::Duration;
use tokio::sync::oneshot;

/// A method of a service.
#[derive(Clone, Copy)]
pub(crate) struct Method {
    /// `/tensorflow.WorkerService/RunGraph`.
    pub(crate) path: &'static str,
    /// Where its responses have their large memory.
    pub(crate) response: ContentPath,
    /// Whether its responses are large as a rule, so that others should not queue behind them.
    pub(crate) is_bulk: bool,
    /// Whether the call waits for a peer that cannot be reached, instead of failing with `Unavailable`.
    pub(crate) wait_for_ready: bool,
}

/// A call that fails because nobody listens is tried this often, waiting a little longer each time (TF: 10 retries from 1 ms on).
const ATTEMPTS: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// A call that waits for its peer asks at least this often.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long a caller waits in silence.
const MENTION_AFTER: Duration = Duration::from_secs(10);

/// Calls `done` exactly once, also when the event loop ends before the call does.
struct Answer<T>(Option<Done<T>>);

impl<T> Answer<T> {
    fn give(mut self, outcome: Result<T>) {
        if let Some(done) = self.0.take() {
            done(outcome);
        }
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            done(Err(cancelled("the call was dropped, because this process is shutting down")));
        }
    }
}

impl Channel {
    /// Calls a method. `done` gets what `decode` makes of the response, on the channel's event loop.
    pub(crate) fn call<T: 'static>(
        &self,
        method: Method,
        request: Result<Segments>,
        options: CallOptions,
        decode: impl FnOnce(&Message) -> Result<T> + Send + 'static,
        done: Done<T>,
    ) {
        let request = match request {
            Ok(request) => request,
            Err(e) => return done(Err(e)),
        };
        let answer = Answer(Some(done));
        let done: Box<dyn FnOnce(Result<Message>) + Send> = Box::new(move |outcome| answer.give(outcome.and_then(|m| decode(&m))));
        let call = line::Request { path: method.path, message: request, response: method.response, options, done };
        let unsent = match self.line(method.is_bulk) {
            Some(line) => line.call(call),
            None => Some(call),
        };
        let Some(line::Request { message, options, done, .. }) = unsent else { return };
        let channel = self.clone();
        self.io().spawn(async move { done(channel.exchange(method, message, options).await) });
    }

    async fn exchange(&self, method: Method, request: Segments, options: CallOptions) -> Result<Message> {
        let (cancel, is_cancelled) = oneshot::channel();
        let _registered = match &options.cancellation {
            Some(manager) => {
                let token = manager.register(move |reason| drop(cancel.send(reason.clone())))?;
                Some(Registered { manager, token })
            }
            None => None,
        };
        let deadline = async {
            match options.timeout {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            outcome = self.attempts(method, &request, &options) => outcome,
            Ok(reason) = is_cancelled => Err(reason),
            () = deadline => Err(deadline_exceeded("Deadline Exceeded")),
        }
    }

    async fn attempts(&self, method: Method, request: &Segments, options: &CallOptions) -> Result<Message> {
        let mut pause = FIRST_PAUSE;
        let started = std::time::Instant::now();
        let mut mentioned = 0;
        for attempt in 1.. {
            let failure = match self.attempt(method, request, options.timeout).await {
                Ok(message) => return Ok(message),
                Err(failure) => failure,
            };
            let again = failure.was_not_sent && (method.wait_for_ready || attempt < ATTEMPTS);
            if !again || failure.error.code() != Code::Unavailable {
                return Err(failure.error);
            }
            if started.elapsed() >= MENTION_AFTER * (mentioned + 1) {
                mentioned += 1;
                tracing::info!("{} still waits after {} s: {}", method.path, started.elapsed().as_secs(), failure.error.bare_message());
            }
            tokio::time::sleep(pause).await;
            // Whoever waits for a server to come up waits longer between attempts than one who only bridges a moment.
            pause = if method.wait_for_ready { (pause * 2).min(LONGEST_PAUSE) } else { pause.mul_f32(1.3) };
        }
        Err(internal("a call ran out of attempts"))
    }

    async fn attempt(&self, method: Method, request: &Segments, timeout: Option<Duration>) -> Result<Message, Failure> {
        let link = self.link().await.map_err(|error| Failure { error, was_not_sent: true })?;
        let sent = self.send(&link, method, request, timeout).await;
        let (response, _stream) = sent.map_err(|e| self.failure(method, &link, &e, true))?;
        let lost = |e: h2::Error| self.failure(method, &link, &e, false);
        let response = response.await.map_err(lost)?;
        let (head, mut body) = response.into_parts();
        self.learn(&link, &head.headers);
        if let Some(outcome) = status::outcome(&head.headers) {
            return Err(Failure::of(outcome.err().unwrap_or_else(|| internal("the peer sent a status without a message"))));
        }
        if head.status != http::StatusCode::OK {
            return Err(Failure::of(status::of_http(head.status)));
        }
        let encoding = Encoding::of_header(head.headers.get("grpc-encoding"));
        let encoding = encoding.ok_or_else(|| Failure::of(internal("the peer uses a grpc-encoding that is not supported")))?;
        let mut assembly = Assembly::new(method.response, encoding);
        while let Some(frame) = body.data().await {
            let frame = frame.map_err(lost)?;
            let _ = body.flow_control().release_capacity(frame.len());
            assembly.push(frame).map_err(Failure::of)?;
        }
        let trailers = body.trailers().await.map_err(lost)?.unwrap_or_default();
        match status::outcome(&trailers) {
            Some(Ok(())) => {}
            Some(Err(e)) => return Err(Failure::of(e)),
            None => return Err(Failure::of(internal(format!("{} ended a response without a status", self.peer())))),
        }
        let message = assembly.finish().map_err(Failure::of)?;
        message.ok_or_else(|| Failure::of(internal(format!("{} sent no message with its response", self.peer()))))
    }

    async fn send(
        &self,
        link: &Link,
        method: Method,
        request: &Segments,
        timeout: Option<Duration>,
    ) -> Result<(impl Future<Output = Result<http::Response<h2::RecvStream>, h2::Error>>, h2::SendStream<bytes::Bytes>), h2::Error> {
        let mut requests = link.requests.clone().ready().await?;
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(self.authority().clone());
        let uri = uri.path_and_query(PathAndQuery::from_static(method.path)).build().unwrap_or_default();
        let mut head = Request::new(());
        *head.method_mut() = http::Method::POST;
        *head.uri_mut() = uri;
        *head.headers_mut() = metadata::request_headers(timeout);
        let (response, mut stream) = requests.send_request(head, false)?;
        let mut parts = request.parts.iter().peekable();
        while let Some(part) = parts.next() {
            stream.send_data(part.clone(), parts.peek().is_none())?;
        }
        Ok((response, stream))
    }

    fn failure(&self, method: Method, link: &Link, e: &h2::Error, was_not_sent: bool) -> Failure {
        let call = method.path.rsplit('/').next().unwrap_or(method.path);
        // Both are promises that the peer has not looked at the call.
        let refused =
            e.is_remote() && (e.reason() == Some(Reason::REFUSED_STREAM) || e.is_go_away() && e.reason() == Some(Reason::NO_ERROR));
        let error = match e.reason() {
            Some(Reason::CANCEL) if e.is_reset() => cancelled(format!("{} cancelled {call}", self.peer())),
            Some(reason) if e.is_reset() && !refused => internal(format!("{} broke off {call}: {}", self.peer(), reason.description())),
            _ => {
                let why = link.ended().unwrap_or_else(|| e.to_string());
                let when = if was_not_sent { format!("before {call} was sent") } else { format!("during {call}") };
                unavailable(format!("{}: connection lost {when}: {why}", self.peer()))
            }
        };
        Failure { error, was_not_sent: was_not_sent || refused }
    }
}

/// Why an attempt failed.
struct Failure {
    error: Error,
    /// Whether the peer certainly has not begun with it.
    was_not_sent: bool,
}

impl Failure {
    fn of(error: Error) -> Failure {
        Failure { error, was_not_sent: false }
    }
}

/// Takes the callback out of the cancellation manager again.
struct Registered<'a> {
    manager: &'a CancellationManager,
    token: CancellationToken,
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.manager.deregister(self.token);
    }
}
