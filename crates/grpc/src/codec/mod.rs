//! Our own coding of the messages that carry tensors, so that elements are neither copied into a message nor more than once out of it.
//!
//! Everything around the tensors is left to prost: a message is split into its tensor fields and the rest. Whatever form of a tensor
//! is not raw memory takes the lenient reader of `ferroflow-tensor`.

mod recv_tensor;
mod tensor;
mod tensor_fields;
mod wire;

pub(crate) use recv_tensor::{decode_recv_tensor, encode_recv_tensor};
pub(crate) use tensor_fields::{decode_with_tensors, encode_with_tensors};

use wire::{Field, fields};

/// Field numbers that lead from a message to the raw memory of its tensors; empty for messages without any.
pub(crate) type ContentPath = &'static [u32];

/// `RecvTensorResponse`: tensor, tensor_content.
pub(crate) const RECV_TENSOR_RESPONSE: ContentPath = &[1, 4];
/// `RunStepRequest`: feed, tensor, tensor_content.
pub(crate) const RUN_STEP_REQUEST: ContentPath = &[2, 2, 4];
/// `RunStepResponse`: tensor, tensor, tensor_content.
pub(crate) const RUN_STEP_RESPONSE: ContentPath = &[1, 2, 4];
/// `RunGraphRequest`: send, tensor, tensor_content.
pub(crate) const RUN_GRAPH_REQUEST: ContentPath = &[3, 2, 4];
/// `RunGraphResponse`: recv, tensor, tensor_content.
pub(crate) const RUN_GRAPH_RESPONSE: ContentPath = &[1, 2, 4];
/// `RunCallableRequest`: feed, tensor_content.
pub(crate) const RUN_CALLABLE_REQUEST: ContentPath = &[3, 4];
/// `RunCallableResponse`: fetch, tensor_content.
pub(crate) const RUN_CALLABLE_RESPONSE: ContentPath = &[1, 4];

/// Where the memory begins that makes up at least half of a message of `len` bytes, if that shows in its `head`.
pub(crate) fn first_content(path: ContentPath, head: &[u8], len: usize) -> Option<usize> {
    let mut place = 0..len;
    for &number in path {
        // The head may end anywhere, so fields are read until they no longer can be.
        place = fields(head, place).find_map(|field| match field {
            Ok((n, Field::Bytes(range))) if n == number && range.len() >= len / 2 => Some(range),
            _ => None,
        })?;
    }
    (!path.is_empty()).then_some(place.start)
}
