//! `Channel`: the connection to one peer, made when first needed and again after it was lost (TF: `GrpcChannelCache`'s channels).
//!
//! Addresses are dialled directly; proxies of the environment play no part.

use crate::line::Line;
use crate::{metadata, socket};
use bytes::Bytes;
use ferroflow_tensor::error::{invalid_argument, unavailable};
use ferroflow_tensor::{Error, Result};
use h2::client::{Connection, SendRequest};
use h2::{Ping, PingPong};
use http::uri::Authority;
use parking_lot::Mutex;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::watch;

/// A machine that does not answer is given up after this.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// How often a ferroflow peer is pinged while calls wait for it, and how long it may take to answer: TCP does not notice a process
/// that is stopped.
const PING_EVERY: Duration = Duration::from_secs(5);
const PONG_WITHIN: Duration = Duration::from_secs(10);

/// A line whose peer has closed ends by itself; one whose peer is silent, so long after the connection.
const LINES_END_AFTER: Duration = Duration::from_millis(500);

/// The way to one peer. Cloning shares the connection.
#[derive(Clone)]
pub(crate) struct Channel(Arc<Shared>);

struct Shared {
    /// `task /job:ps/replica:0/task:0 at host:port`, for messages.
    peer: String,
    address: String,
    authority: Authority,
    io: Handle,
    state: Mutex<State>,
}

type Outcome = Option<Result<Link>>;

#[derive(Default)]
enum State {
    #[default]
    Idle,
    /// Whoever needs the connection waits for the outcome of the one attempt.
    Connecting(watch::Receiver<Outcome>),
    Ready(Link),
}

/// A connection that was made.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) requests: SendRequest<Bytes>,
    status: Arc<LinkStatus>,
}

#[derive(Default)]
struct LinkStatus {
    /// Set by the peer's first response, if it says that it is ferroflow.
    is_ferroflow: AtomicBool,
    /// Whether the peer has answered a call.
    has_answered: AtomicBool,
    /// Whether the peer is on this machine.
    is_local: bool,
    /// Lines to a ferroflow peer, one for small messages and one for tensors, once they are open.
    lines: Mutex<Option<[Line; 2]>>,
    /// Why the connection ended.
    ended: Mutex<Option<String>>,
}

impl Link {
    /// Fails the calls on the lines.
    fn end_lines(&self, why: &str) {
        let lines = self.status.lines.lock().take();
        for line in lines.into_iter().flatten() {
            line.close(why);
        }
    }

    /// Why the connection ended, if it has.
    pub(crate) fn ended(&self) -> Option<String> {
        self.status.ended.lock().clone()
    }
}

impl Channel {
    /// The way to a task (an empty name if it is not known) at `host:port`.
    ///
    /// Errors: `InvalidArgument` for an address that cannot be one.
    pub(crate) fn new(task: &str, address: &str, io: &Handle) -> Result<Channel> {
        crate::listener::port_of(address)?;
        let authority = address.parse().map_err(|e| invalid_argument(format!("'{address}' is not host:port: {e}")))?;
        let peer = if task.is_empty() { format!("the server at {address}") } else { format!("task {task} at {address}") };
        let shared = Shared { peer, address: address.to_owned(), authority, io: io.clone(), state: Mutex::default() };
        Ok(Channel(Arc::new(shared)))
    }

    /// What the peer is called in messages.
    pub(crate) fn peer(&self) -> &str {
        &self.0.peer
    }

    pub(crate) fn authority(&self) -> &Authority {
        &self.0.authority
    }

    pub(crate) fn io(&self) -> &Handle {
        &self.0.io
    }

    /// The line for calls of this kind, if one is open.
    pub(crate) fn line(&self, bulk: bool) -> Option<Line> {
        let state = self.0.state.lock();
        let State::Ready(link) = &*state else { return None };
        let lines = link.status.lines.lock();
        lines.as_ref().map(|lines| lines[usize::from(bulk)].clone()).filter(Line::is_open)
    }

    /// Notes what a response says about the peer. If it is ferroflow, lines are opened to it.
    pub(crate) fn learn(&self, link: &Link, headers: &http::HeaderMap) {
        link.status.has_answered.store(true, Ordering::Relaxed);
        if link.status.is_ferroflow.load(Ordering::Relaxed) || !metadata::is_from_ferroflow(headers) {
            return;
        }
        link.status.is_ferroflow.store(true, Ordering::Relaxed);
        let door = metadata::door(headers).filter(|_| link.status.is_local);
        let (shared, link) = (self.0.clone(), link.clone());
        self.io().spawn(async move {
            let open = async || Line::open(&shared.peer, door.as_deref(), dial(&shared.address)).await;
            match (open().await, open().await) {
                (Ok(small), Ok(bulk)) => {
                    let mut lines = link.status.lines.lock();
                    if link.ended().is_none() {
                        *lines = Some([small, bulk]);
                    }
                }
                (Err(e), _) | (_, Err(e)) => tracing::debug!("no line to {}: {e}", shared.peer),
            }
        });
    }

    /// The connection, made if there is none.
    ///
    /// Errors: `Unavailable` naming the peer and why it cannot be reached.
    pub(crate) async fn link(&self) -> Result<Link> {
        let mut outcome = {
            let mut state = self.0.state.lock();
            match &*state {
                State::Ready(link) => return Ok(link.clone()),
                State::Connecting(outcome) => outcome.clone(),
                State::Idle => {
                    let (tell, outcome) = watch::channel(None);
                    *state = State::Connecting(outcome.clone());
                    let shared = self.0.clone();
                    // A task of its own: the caller who came first may give up while others wait.
                    self.0.io.spawn(async move {
                        let made = shared.connect().await;
                        *shared.state.lock() = match &made {
                            Ok(link) => State::Ready(link.clone()),
                            Err(_) => State::Idle,
                        };
                        let _ = tell.send(Some(made));
                    });
                    outcome
                }
            }
        };
        let made = outcome.wait_for(|o| o.is_some()).await;
        match made.as_deref() {
            Ok(Some(made)) => made.clone(),
            _ => Err(self.0.unavailable("this process is shutting down")),
        }
    }
}

impl Shared {
    fn unavailable(&self, why: impl std::fmt::Display) -> Error {
        unavailable(format!("{}: {why}", self.peer))
    }

    async fn connect(self: &Arc<Shared>) -> Result<Link> {
        let stream = match tokio::time::timeout(CONNECT_WITHIN, dial(&self.address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(e)) => return Err(self.unavailable(plain_text(&e))),
            Err(_) => return Err(self.unavailable(format!("no answer within {} s", CONNECT_WITHIN.as_secs()))),
        };
        socket::configure(&stream);
        let is_local = matches!((stream.peer_addr(), stream.local_addr()), (Ok(peer), Ok(local)) if peer.ip() == local.ip());
        let handshake = h2::client::Builder::new()
            .initial_window_size(socket::WINDOW)
            .initial_connection_window_size(socket::WINDOW)
            .max_frame_size(socket::FRAME)
            .max_header_list_size(socket::HEADERS)
            .max_concurrent_reset_streams(socket::RESET_STREAMS)
            .max_local_error_reset_streams(Some(socket::RESET_STREAMS))
            .enable_push(false)
            .handshake(stream);
        let (requests, connection) = handshake.await.map_err(|e| self.unavailable(e))?;
        let link = Link { requests, status: Arc::new(LinkStatus { is_local, ..LinkStatus::default() }) };
        let (shared, driven) = (Arc::downgrade(self), link.clone());
        self.io.spawn(async move {
            let why = drive(connection, &driven).await;
            *driven.status.ended.lock() = Some(why.clone());
            if let Some(shared) = shared.upgrade() {
                let mut state = shared.state.lock();
                if matches!(&*state, State::Ready(l) if Arc::ptr_eq(&l.status, &driven.status)) {
                    *state = State::Idle;
                }
            }
            // Last answers may still come by the lines.
            tokio::time::sleep(LINES_END_AFTER).await;
            driven.end_lines(&why);
        });
        Ok(link)
    }
}

/// Lets a connection work until it ends; returns why it did.
async fn drive(mut connection: Connection<TcpStream, Bytes>, link: &Link) -> String {
    let pings = connection.ping_pong();
    tokio::select! {
        ended = connection => match ended {
            Ok(()) => "the peer closed the connection".to_owned(),
            Err(e) => match e.get_io() {
                Some(io) => plain_text(io),
                None if !link.status.has_answered.load(Ordering::Relaxed) => {
                    format!("what listens there does not speak gRPC, so it is no task of a cluster ({e})")
                }
                None => e.to_string(),
            },
        },
        why = silence(pings, link) => why,
    }
}

/// Returns when the peer no longer answers pings.
async fn silence(pings: Option<PingPong>, link: &Link) -> String {
    let Some(mut pings) = pings else { return std::future::pending().await };
    loop {
        tokio::time::sleep(PING_EVERY).await;
        if !link.status.is_ferroflow.load(Ordering::Relaxed) {
            continue;
        }
        if !matches!(tokio::time::timeout(PONG_WITHIN, pings.ping(Ping::opaque())).await, Ok(Ok(_))) {
            return format!("no answer to a ping within {} s", PONG_WITHIN.as_secs());
        }
    }
}

async fn dial(address: &str) -> std::io::Result<TcpStream> {
    if let Ok(address) = address.parse::<SocketAddr>() {
        return TcpStream::connect(address).await;
    }
    // Without asking the resolver, which would take a thread.
    if let Some(port) = address.strip_prefix("localhost:").and_then(|p| p.parse::<u16>().ok()) {
        let v4 = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
        return match v4 {
            Err(e) => TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await.map_err(|_| e),
            stream => stream,
        };
    }
    TcpStream::connect(address).await
}

/// An error of the system without its number.
pub(crate) fn plain_text(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        std::io::ErrorKind::ConnectionReset => "connection reset by peer".to_owned(),
        std::io::ErrorKind::BrokenPipe | std::io::ErrorKind::UnexpectedEof => "the peer closed the connection".to_owned(),
        _ => e.to_string(),
    }
}
