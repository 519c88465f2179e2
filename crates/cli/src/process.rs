//! What a task process shares with the one that started it: a socket that is bound already, and its end.

use anyhow::{Context, Result};
use std::net::TcpListener;
use std::time::Duration;

/// The listening socket that was passed as standard input, as inetd(8) does: bound by the parent, so that nobody else can have
/// taken the port in between.
#[cfg(unix)]
pub fn inherited_socket() -> Result<TcpListener> {
    use std::os::fd::AsFd;
    let fd = std::io::stdin().as_fd().try_clone_to_owned().context("duplicating standard input")?;
    let listener = TcpListener::from(fd);
    listener.local_addr().context("standard input is not a listening socket")?;
    Ok(listener)
}

/// Sockets cannot be passed this way here.
#[cfg(not(unix))]
pub fn inherited_socket() -> Result<TcpListener> {
    anyhow::bail!("--inherit-socket works on Unix only")
}

/// Calls `end` when the parent process has gone, however it ended.
#[cfg(unix)]
pub fn when_parent_ends(end: impl FnOnce() + Send + 'static) -> Result<()> {
    use std::os::unix::process::parent_id;
    const LOOK_EVERY: Duration = Duration::from_millis(100);
    let parent = parent_id();
    std::thread::Builder::new()
        .name("parent-watch".to_owned())
        .spawn(move || {
            // An orphan gets another parent.
            while parent_id() == parent {
                std::thread::sleep(LOOK_EVERY);
            }
            end();
        })
        .context("starting the watch of the parent")?;
    Ok(())
}

/// Parents cannot be watched this way here.
#[cfg(not(unix))]
pub fn when_parent_ends(_: impl FnOnce() + Send + 'static) -> Result<()> {
    anyhow::bail!("--exit-with-parent works on Unix only")
}
