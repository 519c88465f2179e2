//! Settings of connections, the same on both ends.
//!
//! Windows of 64 MiB let a large tensor stream without pauses; frames of 1 MiB keep the work per byte small without delaying small
//! messages behind large ones. TCP's own probes find a peer whose machine is gone; unlike HTTP/2 pings they also suit TF's servers,
//! which close connections that ping more often than every few minutes.

use socket2::{SockRef, TcpKeepalive};
use std::time::Duration;
use tokio::net::TcpStream;

/// Bytes that may be on their way, per stream and per connection.
pub(crate) const WINDOW: u32 = 64 << 20;
/// Bytes of a frame.
pub(crate) const FRAME: u32 = 1 << 20;
/// Calls that may wait at once on a connection: a step may wait for thousands of tensors.
pub(crate) const STREAMS: u32 = 1 << 20;
/// Calls that may be given up at once: a cancelled step gives up all of its own.
pub(crate) const RESET_STREAMS: usize = 1 << 20;
/// Bytes of headers of one call.
pub(crate) const HEADERS: u32 = 64 << 10;

/// Silence after which the peer is probed.
const SILENCE: Duration = Duration::from_secs(5);
/// From then on, how often and how many times.
const PROBE_EVERY: Duration = Duration::from_secs(2);
const PROBES: u32 = 3;
/// How long sent bytes may stay without acknowledgement.
const UNACKNOWLEDGED: Duration = Duration::from_secs(12);

/// Sets a connection's options. A system that refuses one of them has a connection that works nevertheless.
pub(crate) fn configure(stream: &TcpStream) {
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(SILENCE).with_interval(PROBE_EVERY).with_retries(PROBES);
    for refused in [stream.set_nodelay(true), socket.set_tcp_keepalive(&keepalive), user_timeout(&socket)] {
        if let Err(e) = refused {
            tracing::debug!("a socket option is refused: {e}");
        }
    }
}

#[cfg(target_os = "linux")]
fn user_timeout(socket: &SockRef<'_>) -> std::io::Result<()> {
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))
}

#[cfg(not(target_os = "linux"))]
fn user_timeout(_: &SockRef<'_>) -> std::io::Result<()> {
    Ok(())
}
