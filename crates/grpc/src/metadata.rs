//! Headers of calls: what gRPC wants there, time limits, and the mark by which ferroflow tasks know each other.

use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;
use http::header::{CONTENT_TYPE, SERVER, TE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use std::time::Duration;

const TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");
const ACCEPT_ENCODING: HeaderName = HeaderName::from_static("grpc-accept-encoding");
const FERROFLOW: &str = concat!("ferroflow/", env!("CARGO_PKG_VERSION"));

/// Where a task of the same machine may open a line; see [`crate::line`].
const DOOR: HeaderName = HeaderName::from_static("ferroflow-door");

/// Headers of a request.
pub(crate) fn request_headers(timeout: Option<Duration>) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(8);
    map.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    map.insert(TE, HeaderValue::from_static("trailers"));
    map.insert(USER_AGENT, HeaderValue::from_static(FERROFLOW));
    map.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity, deflate, gzip"));
    if let Some(value) = timeout.and_then(|t| HeaderValue::from_str(&timeout_text(t)).ok()) {
        map.insert(TIMEOUT, value);
    }
    map
}

/// Headers of a response.
pub(crate) fn response_headers() -> HeaderMap {
    let mut map = HeaderMap::with_capacity(4);
    map.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    map.insert(SERVER, HeaderValue::from_static(FERROFLOW));
    map
}

/// Adds the name of the door, if the caller is ferroflow.
pub(crate) fn tell_door(response: &mut HeaderMap, door: Option<&HeaderValue>, request: &HeaderMap) {
    if let Some(door) = door.filter(|_| request.get(USER_AGENT).is_some_and(|a| a.as_bytes().starts_with(b"ferroflow/"))) {
        response.insert(DOOR, door.clone());
    }
}

/// The name of the door that a response tells.
pub(crate) fn door(response: &HeaderMap) -> Option<String> {
    Some(response.get(DOOR)?.to_str().ok()?.to_owned())
}

/// Whether a response comes from a ferroflow task.
pub(crate) fn is_from_ferroflow(headers: &HeaderMap) -> bool {
    headers.get(SERVER).is_some_and(|s| s.as_bytes().starts_with(b"ferroflow/"))
}

/// A time limit as gRPC writes it: at most eight digits and a unit.
fn timeout_text(timeout: Duration) -> String {
    const MOST: u128 = 99_999_999;
    let micros = timeout.as_micros().max(1);
    match micros {
        0..=MOST => format!("{micros}u"),
        _ if micros / 1000 <= MOST => format!("{}m", micros.div_ceil(1000)),
        _ => format!("{}S", micros.div_ceil(1_000_000).min(MOST)),
    }
}

/// The time limit of a request.
///
/// Errors: `Internal` for a value that is none, as gRPC has it.
pub(crate) fn timeout(headers: &HeaderMap) -> Result<Option<Duration>> {
    let Some(value) = headers.get(TIMEOUT) else { return Ok(None) };
    let bad = || internal("grpc-timeout is malformed");
    let text = value.to_str().map_err(|_| bad())?;
    let unit_at = text.len().checked_sub(1).filter(|&n| (1..=8).contains(&n)).ok_or_else(bad)?;
    let (digits, unit) = text.split_at_checked(unit_at).ok_or_else(bad)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let n: u64 = digits.parse().map_err(|_| bad())?;
    let duration = match unit {
        "H" => Duration::from_secs(n * 3600),
        "M" => Duration::from_secs(n * 60),
        "S" => Duration::from_secs(n),
        "m" => Duration::from_millis(n),
        "u" => Duration::from_micros(n),
        "n" => Duration::from_nanos(n),
        _ => return Err(bad()),
    };
    Ok(Some(duration))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Duration>> {
        let mut map = HeaderMap::new();
        map.insert(TIMEOUT, HeaderValue::from_str(text).unwrap());
        timeout(&map)
    }

    #[test]
    fn time_limits_survive_the_header() {
        assert_eq!(timeout(&HeaderMap::new()).unwrap(), None);
        for limit in [1, 999, 99_999_999, 100_000_000, 86_400_000_000].map(Duration::from_micros) {
            assert_eq!(timeout(&request_headers(Some(limit))).unwrap(), Some(limit));
        }
        assert_eq!(read("2H").unwrap(), Some(Duration::from_secs(7200)));
        let forever = timeout(&request_headers(Some(Duration::MAX))).unwrap().unwrap();
        assert!(forever > Duration::from_secs(90_000_000));
    }

    #[test]
    fn malformed_time_limits_are_refused() {
        for bad in ["", "S", "5", "5x", "-5S", "+5S", "123456789S", "5 S"] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
