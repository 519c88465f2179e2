//! Errors on a line: their code stands in the frame's head, the rest in its body.

use bytes::Bytes;
use ferroflow_tensor::error::cancelled;
use ferroflow_tensor::{Code, Error};

/// The body of a response that is an error.
pub(super) fn error_body(error: &Error) -> Bytes {
    let mut body = vec![u8::from(error.is_derived())];
    body.extend(error.message().as_bytes());
    body.into()
}

/// The error in the body of a response with this code.
pub(super) fn error_of(code: u8, body: &[u8]) -> Error {
    let (derived, text) = body.split_first().unwrap_or((&0, &[]));
    let error = match Code::from_i32(code.into()) {
        Code::Ok => cancelled("the peer sent an error without a code"),
        code => Error::new(code, String::from_utf8_lossy(text)),
    };
    if *derived == 1 { error.derived() } else { error }
}
