//! Taking the port of a task, and saying who has it when it is taken.

use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Code, Error, Result};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

/// The port of `host:port`, and whether the host is an IPv6 address.
///
/// Errors: `InvalidArgument` for a text without a port.
pub(crate) fn port_of(address: &str) -> Result<(u16, bool)> {
    let bad = || invalid_argument(format!("'{address}' is not host:port"));
    let (host, port) = address.rsplit_once(':').ok_or_else(bad)?;
    if host.is_empty() || (host.contains(':') && !(host.starts_with('[') && host.ends_with(']'))) {
        return Err(bad());
    }
    Ok((port.parse().map_err(|_| bad())?, host.starts_with('[')))
}

/// Listens at all addresses of this machine on the port of a task's own entry in the cluster.
///
/// Errors: as [`bind`]; `InvalidArgument` for an entry without a port.
pub(crate) fn bind_own_entry(entry: &str) -> Result<TcpListener> {
    let (port, v6) = port_of(entry)?;
    let everywhere: IpAddr = if v6 { Ipv6Addr::UNSPECIFIED.into() } else { Ipv4Addr::UNSPECIFIED.into() };
    bind(SocketAddr::new(everywhere, port))
}

/// Listens at this address only.
///
/// Errors: `AlreadyExists` if the port is taken, with the process that has it where the system tells.
pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).map_err(|e| match e.kind() {
        std::io::ErrorKind::AddrInUse => {
            let owner = owner(address.port()).map_or(String::new(), |o| format!(" (by {o})"));
            Error::new(Code::AlreadyExists, format!("port {} is already in use{owner}", address.port()))
        }
        _ => Error::from(e).context(format!("cannot listen at {address}")),
    })
}

/// The process that listens on a port, as `pid 12, python3`.
fn owner(port: u16) -> Option<String> {
    let inodes: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .flat_map(|table| table.lines().skip(1).filter_map(|line| listening_inode(line, port).map(str::to_owned)).collect::<Vec<String>>())
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|n| n.parse::<u32>().ok()) else { continue };
        let Ok(descriptors) = std::fs::read_dir(process.path().join("fd")) else { continue };
        for descriptor in descriptors.flatten() {
            let Ok(target) = std::fs::read_link(descriptor.path()) else { continue };
            if inodes.iter().any(|i| target.as_os_str() == i.as_str()) {
                let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
                return Some(format!("pid {pid}, {}", name.trim()));
            }
        }
    }
    None
}

/// The inode of the socket in a line of the system's table, if it listens on this port.
fn listening_inode(line: &str, port: u16) -> Option<&str> {
    const LISTEN: &str = "0A";
    let mut words = line.split_whitespace();
    let local = words.nth(1)?;
    let state = words.nth(1)?;
    let is_it = state == LISTEN && u16::from_str_radix(local.rsplit_once(':')?.1, 16) == Ok(port);
    words.nth(5).filter(|_| is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_an_error_that_says_so() {
        let first = bind(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0)).unwrap();
        let e = bind(first.local_addr().unwrap()).unwrap_err();
        assert_eq!(e.code(), Code::AlreadyExists);
        let port = first.local_addr().unwrap().port();
        assert!(e.message().starts_with(&format!("port {port} is already in use")), "{e}");
        if std::path::Path::new("/proc/self/fd").exists() {
            assert!(e.message().contains(&format!("pid {}", std::process::id())), "{e}");
        }
    }

    #[test]
    fn entries_of_a_cluster_have_ports() {
        assert_eq!(port_of("localhost:2222").unwrap(), (2222, false));
        assert_eq!(port_of("[::1]:80").unwrap(), (80, true));
        for bad in ["", "host", ":1", "host:", "host:99999", "::1:80", "h:-1"] {
            assert!(port_of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_table_of_sockets_is_read() {
        let line = "   0: 0100007F:08AE 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0";
        assert_eq!(listening_inode(line, 0x08ae), Some("4711"));
        assert_eq!(listening_inode(line, 80), None);
        assert_eq!(listening_inode(&line.replace(" 0A ", " 01 "), 0x08ae), None);
        assert_eq!(listening_inode("garbage", 80), None);
    }
}
