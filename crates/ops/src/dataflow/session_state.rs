//! Tensors that a session keeps between its steps (TF: `SessionState`, `TensorStore`).
//!
//! They belong to sessions in the client's own process. Sessions of a cluster keep state in variables, and TensorFlow's servers refuse
//! these ops as ours do, but the ops must be known: a client whose graph has one may never run it.

use ferroflow_tensor::Error;
use ferroflow_tensor::error::failed_precondition;

/// What is answered where no session keeps tensors.
pub(crate) fn no_session_state(op: &str) -> Error {
    failed_precondition(format!(
        "{op} called on null session state: tensors are kept between steps by sessions in the client's own process only; use a variable"
    ))
}
