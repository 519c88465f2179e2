//! The two kinds of sockets that a line runs over, split into what is read and what is written.

use socket2::SockRef;
use std::io::{IoSlice, Result};
use std::net::Shutdown;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::{TcpStream, UnixStream, tcp, unix};

/// What is read from a line.
pub(crate) enum Incoming {
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
}

/// What is written to a line. Any thread may.
pub(crate) enum Outgoing {
    Tcp(tcp::OwnedWriteHalf),
    Unix(unix::OwnedWriteHalf),
}

/// Bytes that the system is asked to take at once, so that reader and writer seldom wait for each other.
const SEND_BUFFER: usize = 4 << 20;

pub(crate) fn of_tcp(stream: TcpStream) -> (Incoming, Outgoing) {
    let (r, w) = stream.into_split();
    (Incoming::Tcp(r), Outgoing::Tcp(w))
}

pub(crate) fn of_unix(stream: UnixStream) -> (Incoming, Outgoing) {
    if let Err(e) = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER) {
        tracing::debug!("a socket option is refused: {e}");
    }
    let (r, w) = stream.into_split();
    (Incoming::Unix(r), Outgoing::Unix(w))
}

impl AsyncRead for Incoming {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        match self.get_mut() {
            Incoming::Tcp(s) => Pin::new(s).poll_read(cx, into),
            Incoming::Unix(s) => Pin::new(s).poll_read(cx, into),
        }
    }
}

impl Outgoing {
    pub(super) fn try_write(&self, parts: &[IoSlice<'_>]) -> Result<usize> {
        match self {
            Outgoing::Tcp(s) => s.try_write_vectored(parts),
            Outgoing::Unix(s) => s.try_write_vectored(parts),
        }
    }

    /// Ends the connection both ways; what the system has taken still reaches the peer.
    pub(super) fn shut_down(&self) {
        let socket = match self {
            Outgoing::Tcp(s) => SockRef::from(s.as_ref()),
            Outgoing::Unix(s) => SockRef::from(s.as_ref()),
        };
        // A connection that has ended already cannot be ended.
        let _ = socket.shutdown(Shutdown::Both);
    }

    /// The process at the other end, if it is on this machine and may look into this one: others need not know what lies where.
    #[cfg(target_os = "linux")]
    pub(super) fn peer_process(&self) -> Option<i32> {
        let Outgoing::Unix(s) = self else { return None };
        let peer = s.as_ref().peer_cred().ok()?;
        let is_trusted = peer.uid() == 0 || peer.uid() == nix::unistd::geteuid().as_raw();
        peer.pid().filter(|&pid| pid > 0 && is_trusted)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn peer_process(&self) -> Option<i32> {
        None
    }

    pub(super) async fn writable(&self) -> Result<()> {
        match self {
            Outgoing::Tcp(s) => s.writable().await,
            Outgoing::Unix(s) => s.writable().await,
        }
    }
}
