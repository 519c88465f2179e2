//! TensorFlow's protobuf messages: graphs, tensors, the two services of a cluster, checkpoints, events and saved models.
//!
//! The messages are written down in this crate's own `.proto` files (package `tensorflow`, field names and numbers as
//! TensorFlow has them) and turned into prost types by `cargo run -p xtask -- proto`. No logic lives here, and these types
//! stop at the codec edges: everything else works with the types of `ferroflow-tensor` and `ferroflow-graph`.
//!
//! What to know when reading or writing them:
//! * `bytes` fields are [`bytes::Bytes`]: decoding from a `Bytes` shares the buffer, so a large `tensor_content` is not copied.
//! * Maps are `BTreeMap`s, so equal messages encode to equal bytes.
//! * Enum fields are open `i32`s; unknown numbers survive. Convert with `DataType::try_from(x)` or the getters.
//! * Unknown fields are dropped. Messages that are only passed on (`GraphDef::debug_info`, `MetaGraphDef::object_graph_def`,
//!   `composite_tensor` of `TensorInfo`) are kept as bytes, which have the same wire form.
//! * A protobuf `MergeFrom(other)` is `merge(other.encode_to_vec().as_slice())`: set scalars win, lists are appended.
//! * Messages nested deeper than 100 are refused, so hostile input cannot exhaust the stack.
//! * [`Any`] is wire-equal to `google.protobuf.Any`, [`Code`] to `tensorflow.error.Code`.

// The generator's own layout and names; see xtask.
#[allow(missing_docs, clippy::all, rustdoc::all)]
#[rustfmt::skip]
mod generated;

pub use generated::*;
pub use prost::{DecodeError, EncodeError, Message, UnknownEnumValue};
