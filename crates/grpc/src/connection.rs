//! The server's side of connections: accepts them, reads requests, sends responses, notices when callers give up.

use crate::compression::Encoding;
use crate::frame::{Assembly, Message};
use crate::segments::Segments;
use crate::service::{Respond, Services};
use crate::{line, metadata, socket, status};
use bytes::Bytes;
use ferroflow_distributed::CallOptions;
use ferroflow_graph::kernel::CancellationManager;
use ferroflow_tensor::error::{cancelled, deadline_exceeded, internal, unavailable};
use ferroflow_tensor::{Code, Error, Result};
use h2::RecvStream;
use h2::server::SendResponse;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::sync::watch;

/// A connection has to begin within this time.
const FIRST_BYTES_WITHIN: Duration = Duration::from_secs(20);
/// After a failure to accept, such as too many open files.
const ACCEPT_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// What is read at most of a peer that does not speak HTTP/2, and for how long.
const MOST_OF_A_STRANGER: u64 = 64 << 10;
const STRANGERS_LEAVE_WITHIN: Duration = Duration::from_secs(2);

/// How far a server has come in ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// It takes calls.
    Serving,
    /// It takes no new calls.
    Draining,
    /// It answers the calls that are left with `Unavailable`.
    Closing,
}

/// Accepts connections until the server ends.
pub(crate) async fn accept(listener: TcpListener, services: Arc<Services>, mut phase: watch::Receiver<Phase>) {
    loop {
        let accepted = tokio::select! {
            a = listener.accept() => a,
            _ = phase.wait_for(|p| *p > Phase::Serving) => return,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (services, phase) = (services.clone(), phase.clone());
                tokio::spawn(async move {
                    if let Err(e) = serve(stream, services, phase).await {
                        tracing::debug!(%peer, "connection ended: {e}");
                    }
                });
            }
            Err(e) => {
                tracing::warn!("cannot accept a connection: {e}");
                tokio::time::sleep(ACCEPT_AGAIN_AFTER).await;
            }
        }
    }
}

async fn serve(mut stream: TcpStream, services: Arc<Services>, mut phase: watch::Receiver<Phase>) -> std::io::Result<()> {
    socket::configure(&stream);
    let mut first = [0u8; 3];
    let known = tokio::time::timeout(FIRST_BYTES_WITHIN, stream.peek(&mut first)).await??;
    if line::OPENING_TOLD_BY.starts_with(&first[..known]) && known == first.len() {
        line::serve(stream, services, phase).await;
        return Ok(());
    }
    if known > 0 && !b"PRI".starts_with(&first[..known]) {
        return refuse(&mut stream, &services.name).await;
    }
    let mut connection = h2::server::Builder::new()
        .initial_window_size(socket::WINDOW)
        .initial_connection_window_size(socket::WINDOW)
        .max_frame_size(socket::FRAME)
        .max_concurrent_streams(socket::STREAMS)
        .max_header_list_size(socket::HEADERS)
        .max_pending_accept_reset_streams(socket::RESET_STREAMS)
        .max_concurrent_reset_streams(socket::RESET_STREAMS)
        .max_local_error_reset_streams(Some(socket::RESET_STREAMS))
        .handshake::<_, Bytes>(stream)
        .await
        .map_err(std::io::Error::other)?;
    let mut draining = false;
    loop {
        let next = tokio::select! {
            biased;
            next = connection.accept() => next,
            _ = phase.wait_for(|p| *p > Phase::Serving), if !draining => {
                draining = true;
                connection.graceful_shutdown();
                continue;
            }
        };
        match next {
            None => return Ok(()),
            Some(Err(e)) => return Err(std::io::Error::other(e)),
            Some(Ok((request, respond))) => start(answer(request, respond, services.clone(), phase.clone())),
        }
    }
}

/// Runs a call as far as it goes at once; most end right there, without a task of their own.
fn start(call: impl Future<Output = ()> + Send + 'static) {
    let mut call = Box::pin(call);
    if call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
        tokio::spawn(call);
    }
}

/// Tells a browser, or whatever does not speak HTTP/2, what it has found.
async fn refuse(stream: &mut TcpStream, name: &str) -> std::io::Result<()> {
    let text = format!("This is {name}, which speaks gRPC over HTTP/2 (TensorFlow's MasterService and WorkerService).\n");
    let response = format!(
        "HTTP/1.1 426 Upgrade Required\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await?;
    // Closing with unread bytes would reset the connection, and the text might never be seen.
    let mut rest = stream.take(MOST_OF_A_STRANGER);
    let mut sink = tokio::io::sink();
    tokio::time::timeout(STRANGERS_LEAVE_WITHIN, tokio::io::copy(&mut rest, &mut sink)).await??;
    Ok(())
}

/// One call from its request to its response.
async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Bytes>, services: Arc<Services>, phase: watch::Receiver<Phase>) {
    let (head, body) = request.into_parts();
    let is_grpc = head.headers.get(http::header::CONTENT_TYPE).is_some_and(|t| t.as_bytes().starts_with(b"application/grpc"));
    if head.method != Method::POST || !is_grpc {
        let status = if head.method == Method::POST { StatusCode::UNSUPPORTED_MEDIA_TYPE } else { StatusCode::METHOD_NOT_ALLOWED };
        let mut response = Response::new(());
        *response.status_mut() = status;
        let _ = respond.send_response(response, true);
        return;
    }
    let mut headers = metadata::response_headers();
    metadata::tell_door(&mut headers, services.door.as_ref(), &head.headers);
    let path = head.uri.path();
    let outcome = match services.find(path) {
        None => Err(Error::new(Code::Unimplemented, format!("{path} is not implemented by ferroflow"))),
        Some((service, method, content)) => match Encoding::of_header(head.headers.get("grpc-encoding")) {
            None => Err(Error::new(Code::Unimplemented, "this grpc-encoding is not supported; gzip, deflate and identity are")),
            Some(encoding) => match metadata::timeout(&head.headers) {
                Err(e) => Err(e),
                Ok(timeout) => {
                    let call = Call { respond: &mut respond, phase, timeout, task: &services.name };
                    match call.run(body, Assembly::new(content, encoding), |m, o, r| service.call(method, m, o, r)).await {
                        Some(outcome) => outcome,
                        None => return,
                    }
                }
            },
        },
    };
    if let Err(e) = &outcome {
        tracing::debug!(path, "call failed: {e}");
    }
    // A caller that is gone does not miss its answer.
    let _ = send(&mut respond, headers, outcome);
}

/// A call under way.
struct Call<'a> {
    respond: &'a mut SendResponse<Bytes>,
    phase: watch::Receiver<Phase>,
    timeout: Option<Duration>,
    task: &'a str,
}

impl Call<'_> {
    /// Reads the request and waits for the answer; `None` if the caller gave up.
    async fn run(
        self,
        mut body: RecvStream,
        mut assembly: Assembly,
        handle: impl FnOnce(Message, CallOptions, Respond),
    ) -> Option<Result<Segments>> {
        let Call { respond, mut phase, timeout, task } = self;
        // Reading ends with the stream, whether by its end, by the caller or with the connection.
        while let Some(frame) = body.data().await {
            let frame = frame.ok()?;
            let _ = body.flow_control().release_capacity(frame.len());
            if let Err(e) = assembly.push(frame) {
                return Some(Err(e));
            }
        }
        let message = match assembly.finish() {
            Ok(Some(message)) => message,
            Ok(None) => return Some(Err(internal("the call has no request message"))),
            Err(e) => return Some(Err(e)),
        };
        let cancellation = Arc::new(CancellationManager::new());
        let (answered, mut answer) = oneshot::channel();
        let options = CallOptions::cancelled_by(&cancellation);
        let respond_once: Respond = Box::new(move |outcome| drop(answered.send(outcome)));
        if catch_unwind(AssertUnwindSafe(|| handle(message, options, respond_once))).is_err() {
            return Some(Err(internal("the handler of the call panicked")));
        }
        match answer.try_recv() {
            Ok(outcome) => return Some(outcome),
            Err(TryRecvError::Closed) => return Some(Err(dropped())),
            Err(TryRecvError::Empty) => {}
        }
        let deadline = async {
            match timeout {
                Some(t) => tokio::time::sleep(t).await,
                None => std::future::pending().await,
            }
        };
        let (reason, caller_waits) = tokio::select! {
            biased;
            outcome = &mut answer => return Some(outcome.unwrap_or_else(|_| Err(dropped()))),
            _ = poll_fn(|cx| respond.poll_reset(cx)) => (cancelled("the call was cancelled by its caller"), false),
            _ = deadline => (deadline_exceeded("Deadline Exceeded"), true),
            _ = phase.wait_for(|p| *p == Phase::Closing) => (unavailable(format!("{task} is shutting down")), true),
        };
        cancellation.cancel(reason.clone());
        caller_waits.then_some(Err(reason))
    }
}

fn dropped() -> Error {
    internal("the handler of the call ended without an answer")
}

/// Sends a response. Nothing is awaited: what does not fit the peer's window waits in the connection, sharing the tensors' memory.
fn send(respond: &mut SendResponse<Bytes>, headers: HeaderMap, outcome: Result<Segments>) -> Result<(), h2::Error> {
    let mut response = Response::new(());
    *response.headers_mut() = headers;
    match outcome {
        Err(e) => {
            response.headers_mut().extend(status::trailers(Err(&e)));
            respond.send_response(response, true)?;
        }
        Ok(segments) => {
            let mut stream = respond.send_response(response, false)?;
            for part in segments.parts {
                stream.send_data(part, false)?;
            }
            stream.send_trailers(status::trailers(Ok(())))?;
        }
    }
    Ok(())
}
