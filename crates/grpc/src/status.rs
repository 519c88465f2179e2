//! Errors as gRPC statuses: code, message and TF's payloads in the trailers.
//!
//! TF marks an error that is only a consequence of another one, and one after which a peer has probably restarted, by payloads in
//! `grpc-status-details-bin`; a message longer than TF's limit is cut with a mark.

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use ferroflow_proto as pb;
use ferroflow_tensor::{Code, Error, Result};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use prost::Message;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");

const DERIVED: &str = "type.googleapis.com/tensorflow.DerivedStatus";
const RESTARTED: &str = "type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted";

/// Longer messages are cut: peers refuse trailers of more than 8 KiB.
const LONGEST_MESSAGE: usize = 3072;
const CUT: &str = " ... [truncated]";

/// Binary headers: without padding when written, either way when read.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_encode_padding(false).with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The trailers of a call that ended so.
pub(crate) fn trailers(outcome: Result<(), &Error>) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(4);
    let Err(error) = outcome else {
        map.insert(STATUS, HeaderValue::from_static("0"));
        return map;
    };
    map.insert(STATUS, HeaderValue::from(error.code() as i32 as u16));
    let message = error.message();
    if let Ok(value) = HeaderValue::from_bytes(percent_encoded(&shortened(&message)).as_bytes()) {
        map.insert(MESSAGE, value);
    }
    let mut payloads = pb::GrpcPayloadContainer::default();
    if error.is_derived() {
        payloads.payloads.insert(DERIVED.to_owned(), Bytes::new());
    }
    if tells_of_restart(error.code(), &message) {
        payloads.payloads.insert(RESTARTED.to_owned(), Bytes::new());
    }
    if !payloads.payloads.is_empty()
        && let Ok(value) = HeaderValue::from_str(&BASE64.encode(payloads.encode_to_vec()))
    {
        map.insert(DETAILS, value);
    }
    map
}

/// The outcome that trailers (or the only headers) tell; `None` if they hold no status.
pub(crate) fn outcome(trailers: &HeaderMap) -> Option<Result<()>> {
    let status = trailers.get(STATUS)?;
    let code = status.to_str().ok().and_then(|s| s.parse().ok()).map_or(Code::Unknown, Code::from_i32);
    if code == Code::Ok {
        return Some(Ok(()));
    }
    let message = trailers.get(MESSAGE).map_or(String::new(), |m| percent_decoded(m.as_bytes()));
    let payloads = trailers
        .get(DETAILS)
        .and_then(|d| BASE64.decode(d.as_bytes()).ok())
        .and_then(|d| pb::GrpcPayloadContainer::decode(d.as_slice()).ok())
        .unwrap_or_default();
    let error = Error::new(code, message);
    Some(Err(if payloads.payloads.contains_key(DERIVED) { error.derived() } else { error }))
}

/// The error of a response that is no gRPC at all, by its HTTP status as gRPC maps them.
pub(crate) fn of_http(status: StatusCode) -> Error {
    let code = match status.as_u16() {
        400 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502..=504 => Code::Unavailable,
        _ => Code::Unknown,
    };
    Error::new(code, format!("the peer answered HTTP status {status} instead of a gRPC status"))
}

fn tells_of_restart(code: Code, message: &str) -> bool {
    code == Code::Aborted
        && (message.contains("Session handle is not found: ")
            || message.contains("Graph handle is not found: ")
            || message.contains("expects a different device incarnation: "))
}

fn shortened(message: &str) -> std::borrow::Cow<'_, str> {
    if message.len() <= LONGEST_MESSAGE {
        return message.into();
    }
    let mut end = LONGEST_MESSAGE - CUT.len();
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{CUT}", &message[..end]).into()
}

fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'%' | 0..=0x1f | 0x7f.. => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                out.push('%');
                out.push(HEX[usize::from(byte >> 4)] as char);
                out.push(HEX[usize::from(byte & 15)] as char);
            }
            printable => out.push(printable as char),
        }
    }
    out
}

fn percent_decoded(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let digit = |i: usize| tail.get(i).and_then(|d| (*d as char).to_digit(16));
        if byte == b'%'
            && let (Some(high), Some(low)) = (digit(0), digit(1))
        {
            out.push((high * 16 + low) as u8);
            rest = &tail[2..];
        } else {
            out.push(byte);
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::{aborted, cancelled, invalid_argument};

    fn round_trip(e: &Error) -> Error {
        outcome(&trailers(Err(e))).unwrap().unwrap_err()
    }

    #[test]
    fn code_and_message_survive_whatever_the_message_holds() {
        for message in ["", "plain", "50 % of\n\t [[{{node ä}}]]", "%zz%4", "\u{1F600}\0"] {
            let back = round_trip(&invalid_argument(message));
            assert_eq!((back.code(), back.message().as_str()), (Code::InvalidArgument, message));
            assert!(!back.is_derived());
        }
    }

    #[test]
    fn a_derived_error_stays_derived() {
        let e = cancelled("another task failed").derived();
        assert!(round_trip(&e).is_derived());
        // The bytes that TF 2 sends: one map entry with the type as its key and an empty value.
        let map = trailers(Err(&e));
        let raw = BASE64.decode(map.get(DETAILS).unwrap()).unwrap();
        assert_eq!(raw[..4], [0x0a, DERIVED.len() as u8 + 2, 0x0a, DERIVED.len() as u8]);
    }

    #[test]
    fn a_lost_session_tells_of_a_restart() {
        let map = trailers(Err(&aborted("Session handle is not found: 12. Possibly this worker just restarted.")));
        let raw = BASE64.decode(map.get(DETAILS).unwrap()).unwrap();
        let payloads = pb::GrpcPayloadContainer::decode(raw.as_slice()).unwrap().payloads;
        assert!(payloads.contains_key(RESTARTED) && !payloads.contains_key(DERIVED));
        assert!(trailers(Err(&aborted("Step 1 cancelled."))).get(DETAILS).is_none());
    }

    #[test]
    fn long_messages_are_cut_with_a_mark() {
        let back = round_trip(&invalid_argument("ä".repeat(5000))).message();
        assert!(back.ends_with(CUT) && back.len() <= LONGEST_MESSAGE && back.len() > LONGEST_MESSAGE - 4);
    }

    #[test]
    fn odd_trailers_are_understood_as_far_as_they_go() {
        assert!(outcome(&HeaderMap::new()).is_none());
        let mut map = HeaderMap::new();
        map.insert(STATUS, HeaderValue::from_static("x"));
        map.insert(DETAILS, HeaderValue::from_static("!!!"));
        assert_eq!(outcome(&map).unwrap().unwrap_err().code(), Code::Unknown);
        map.insert(STATUS, HeaderValue::from_static("0"));
        outcome(&map).unwrap().unwrap();
    }
}
