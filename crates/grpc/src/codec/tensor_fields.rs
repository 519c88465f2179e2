//! Messages with a list of tensors: `RunStep`, `RunGraph` and `RunCallable`, requests and responses.
//!
//! The list's fields are coded here, all others by prost; protobuf leaves the order of fields free.

use super::tensor::{EncodedTensor, decode_tensor};
use super::wire::{Field, fields, put_tag, put_varint, varint_len};
use crate::frame::Message;
use crate::segments::{SegmentWriter, Segments};
use bytes::BufMut;
use ferroflow_proto as pb;
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{Result, Tensor, from_proto};
use std::ops::Range;

/// The elements of such a list.
pub(crate) trait Tensors: Sized {
    /// Reads the element at `range`.
    ///
    /// Errors: `Internal` for malformed bytes; `InvalidArgument` for a tensor that is none.
    fn decode(message: &Message, range: Range<usize>) -> Result<Self>;
    /// Its tensor, and its name if it has one.
    fn parts(&self) -> (Option<&str>, &Tensor);
}

/// `TensorProto`.
impl Tensors for Tensor {
    fn decode(message: &Message, range: Range<usize>) -> Result<Tensor> {
        decode_tensor(message, range)
    }

    fn parts(&self) -> (Option<&str>, &Tensor) {
        (None, self)
    }
}

/// `NamedTensorProto`.
impl Tensors for (String, Tensor) {
    fn decode(message: &Message, range: Range<usize>) -> Result<(String, Tensor)> {
        let bytes = message.bytes();
        let (mut name, mut tensor) = (None, None);
        for field in fields(bytes, range.clone()) {
            match field? {
                (1, Field::Bytes(place)) => name = Some(place),
                (2, Field::Bytes(place)) if tensor.is_none() => tensor = Some(place),
                (1 | 2, _) => {
                    let p: pb::NamedTensorProto = Message::Bytes(message.shared(range)).decode()?;
                    return Ok((p.name, from_proto(&p.tensor.unwrap_or_default())?));
                }
                _ => {}
            }
        }
        let name = bytes.get(name.unwrap_or(0..0)).map(std::str::from_utf8);
        let name = match name {
            Some(Ok(name)) => name.to_owned(),
            _ => return Err(internal("the name of a tensor is not UTF-8")),
        };
        let Some(place) = tensor else { return Err(invalid_argument(format!("no tensor is given for '{name}'"))) };
        let tensor = decode_tensor(message, place).map_err(|e| e.context(format!("tensor '{name}'")))?;
        Ok((name, tensor))
    }

    fn parts(&self) -> (Option<&str>, &Tensor) {
        (Some(&self.0), &self.1)
    }
}

/// Reads a message without its field `number`, and the elements of that field.
///
/// Errors: `Internal` for malformed bytes; `InvalidArgument` for a tensor that is none.
pub(crate) fn decode_with_tensors<M: prost::Message + Default, T: Tensors>(message: &Message, number: u32) -> Result<(M, Vec<T>)> {
    let bytes = message.bytes();
    let mut tensors = Vec::new();
    let mut rest = Vec::new();
    let mut walk = fields(bytes, 0..bytes.len());
    loop {
        let start = walk.position();
        match walk.next() {
            None => break,
            Some(Ok((n, Field::Bytes(range)))) if n == number => tensors.push(T::decode(message, range)?),
            Some(Ok(_)) => rest.extend_from_slice(bytes.get(start..walk.position()).unwrap_or_default()),
            Some(Err(e)) => return Err(e),
        }
    }
    Ok((Message::Bytes(rest.into()).decode()?, tensors))
}

/// Writes a message with these elements as its field `number`, which must be empty in `message` and below 16.
///
/// Errors: `InvalidArgument` for a variant that cannot leave the process; `ResourceExhausted` above 2 GiB.
pub(crate) fn encode_with_tensors<T: Tensors>(message: &impl prost::Message, number: u32, tensors: &[T]) -> Result<Segments> {
    let mut encoded = Vec::with_capacity(tensors.len());
    let mut len = message.encoded_len();
    for element in tensors {
        let (name, tensor) = element.parts();
        let tensor = EncodedTensor::new(tensor)?;
        let element_len = match name {
            None => tensor.len(),
            Some(name) => 1 + varint_len(name.len() as u64) + name.len() + tensor.field_len(),
        };
        len += 1 + varint_len(element_len as u64) + element_len;
        encoded.push((name, tensor, element_len));
    }
    let mut writer = SegmentWriter::new(len)?;
    writer.put_message(message)?;
    for (name, tensor, element_len) in encoded {
        let Some(name) = name else {
            tensor.put(number, &mut writer);
            continue;
        };
        let out = writer.buffer();
        put_tag(out, number, 2);
        put_varint(out, element_len as u64);
        put_tag(out, 1, 2);
        put_varint(out, name.len() as u64);
        out.put_slice(name.as_bytes());
        tensor.put(2, &mut writer);
    }
    Ok(writer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segments::PREFIX;
    use ferroflow_tensor::{DType, Shape, to_proto};
    use prost::Message as _;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    fn random_tensor(rng: &mut StdRng) -> Tensor {
        let rank = rng.random_range(0..4);
        let shape = Shape::new(&(0..rank).map(|_| rng.random_range(0..9)).collect::<Vec<i64>>()).unwrap();
        match rng.random_range(0..3) {
            0 => {
                let values: Vec<f32> = (0..shape.num_elements()).map(|_| rng.random()).collect();
                Tensor::from_slice(shape, &values).unwrap()
            }
            1 => {
                let values: Vec<i64> = (0..shape.num_elements()).map(|_| rng.random()).collect();
                Tensor::from_slice(shape, &values).unwrap()
            }
            _ => {
                let n = shape.num_elements();
                Tensor::strings(shape, (0..n).map(|i| "x".repeat(i).into()).collect()).unwrap()
            }
        }
    }

    fn random_request(rng: &mut StdRng) -> (pb::RunStepRequest, Vec<(String, Tensor)>) {
        let feeds = (0..rng.random_range(0..5)).map(|i| (format!("x{i}:0"), random_tensor(rng))).collect();
        let request = pb::RunStepRequest {
            session_handle: "0123456789abcdef".into(),
            fetch: (0..rng.random_range(0..5)).map(|i| format!("y:{i}")).collect(),
            target: vec!["init".into()],
            options: Some(pb::RunOptions { timeout_in_ms: rng.random(), ..Default::default() }),
            store_errors_in_response_body: rng.random(),
            request_id: rng.random(),
            ..Default::default()
        };
        (request, feeds)
    }

    fn same(a: &Tensor, b: &Tensor) -> bool {
        let elements = match a.dtype() {
            DType::String => a.as_strings().unwrap() == b.as_strings().unwrap(),
            _ => a.bytes().unwrap() == b.bytes().unwrap(),
        };
        (a.dtype(), a.dims()) == (b.dtype(), b.dims()) && elements
    }

    #[test]
    fn our_coding_and_that_of_prost_understand_each_other() {
        let mut rng = StdRng::seed_from_u64(7);
        for _ in 0..500 {
            let (request, feeds) = random_request(&mut rng);
            let mut whole = request.clone();
            whole.feed = feeds.iter().map(|(n, t)| pb::NamedTensorProto { name: n.clone(), tensor: Some(to_proto(t).unwrap()) }).collect();
            let theirs = Message::Bytes(whole.encode_to_vec().into());
            let (rest, tensors) = decode_with_tensors::<pb::RunStepRequest, (String, Tensor)>(&theirs, 2).unwrap();
            assert_eq!(rest, request);
            assert!(tensors.iter().zip(&feeds).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1)) && tensors.len() == feeds.len());

            let ours = encode_with_tensors(&request, 2, &feeds).unwrap().concat();
            assert_eq!(u32::from_be_bytes(ours[1..PREFIX].try_into().unwrap()) as usize, ours.len() - PREFIX);
            let mut back = pb::RunStepRequest::decode(ours.slice(PREFIX..)).unwrap();
            let tensors: Vec<_> =
                std::mem::take(&mut back.feed).into_iter().map(|f| (f.name, from_proto(&f.tensor.unwrap()).unwrap())).collect();
            assert_eq!(back, request);
            assert!(tensors.iter().zip(&feeds).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1)) && tensors.len() == feeds.len());
        }
    }

    #[test]
    fn tensors_without_names_are_a_list_too() {
        let feeds = [Tensor::scalar(1.5f32), Tensor::string("s")];
        let request = pb::RunCallableRequest { session_handle: "h".into(), handle: 0, request_id: 9, ..Default::default() };
        let bytes = encode_with_tensors(&request, 3, &feeds).unwrap().concat().slice(PREFIX..);
        let (back, tensors) = decode_with_tensors::<pb::RunCallableRequest, Tensor>(&Message::Bytes(bytes), 3).unwrap();
        assert_eq!(back, request);
        assert!(same(&tensors[0], &feeds[0]) && same(&tensors[1], &feeds[1]));
    }

    #[test]
    fn damaged_bytes_never_panic() {
        let mut rng = StdRng::seed_from_u64(8);
        let (mut good, mut bad) = (0, 0);
        for _ in 0..300 {
            let (request, feeds) = random_request(&mut rng);
            let bytes = encode_with_tensors(&request, 2, &feeds).unwrap().concat();
            let mut bytes = bytes[PREFIX..].to_vec();
            for _ in 0..20 {
                let at = rng.random_range(0..bytes.len());
                bytes[at] = rng.random();
                let end = rng.random_range(0..=bytes.len());
                for end in [end, bytes.len()] {
                    let message = Message::Bytes(bytes[..end].to_vec().into());
                    match decode_with_tensors::<pb::RunStepRequest, (String, Tensor)>(&message, 2) {
                        Ok(_) => good += 1,
                        Err(_) => bad += 1,
                    }
                }
            }
        }
        assert!(good > 0 && bad > 0, "{good} {bad}");
    }
}
