//! `RecvTensorResponse`, byte for byte as TF writes it: the small fields first, then the tensor with its elements last.

use super::tensor::{EncodedTensor, decode_tensor};
use super::wire::{Field, fields, put_tag, put_varint, varint_len};
use crate::frame::Message;
use crate::segments::{SegmentWriter, Segments};
use bytes::BufMut;
use ferroflow_graph::kernel::Received;
use ferroflow_proto as pb;
use ferroflow_tensor::{DType, Result, Shape, Tensor, from_proto};
use std::time::SystemTime;

/// A tensor that is sent at `now`.
///
/// Errors: `InvalidArgument` for a variant that cannot leave the process; `ResourceExhausted` above 2 GiB.
pub(crate) fn encode_recv_tensor(received: &Received, now: SystemTime) -> Result<Segments> {
    let micros = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
    // What a dead value holds means nothing; TF sends no elements.
    let tensor = match received.is_dead {
        true => EncodedTensor::new(&no_elements()?)?,
        false => EncodedTensor::new(&received.tensor)?,
    };
    let dead_len = if received.is_dead { 2 } else { 0 };
    let mut writer = SegmentWriter::new(dead_len + 1 + varint_len(micros) + tensor.field_len())?;
    let out = writer.buffer();
    if received.is_dead {
        put_tag(out, 2, 0);
        out.put_u8(1);
    }
    put_tag(out, 3, 0);
    put_varint(out, micros);
    tensor.put(1, &mut writer);
    Ok(writer.finish())
}

fn no_elements() -> Result<Tensor> {
    Tensor::zeros(DType::Float, Shape::new(&[0])?)
}

/// Reads the answer of a producer.
///
/// Errors: `Internal` for malformed bytes; `InvalidArgument` for a tensor that is none.
pub(crate) fn decode_recv_tensor(message: &Message) -> Result<Received> {
    let bytes = message.bytes();
    let (mut tensor, mut is_dead) = (None, false);
    for field in fields(bytes, 0..bytes.len()) {
        match field? {
            (1, Field::Bytes(range)) if tensor.is_none() => tensor = Some(range),
            (2, Field::Varint(n)) => is_dead = n != 0,
            (1, _) => return decode_unusual(message),
            _ => {}
        }
    }
    match tensor {
        _ if is_dead => Ok(Received { tensor: no_elements()?, is_dead }),
        Some(range) => Ok(Received { tensor: decode_tensor(message, range)?, is_dead }),
        None => decode_unusual(message),
    }
}

fn decode_unusual(message: &Message) -> Result<Received> {
    let p: pb::RecvTensorResponse = message.decode()?;
    let tensor = if p.is_dead { no_elements()? } else { from_proto(&p.tensor.unwrap_or_default())? };
    Ok(Received { tensor, is_dead: p.is_dead })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::RECV_TENSOR_RESPONSE;
    use crate::compression::Encoding;
    use crate::frame::Assembly;
    use crate::segments::PREFIX;
    use bytes::Bytes;
    use prost::Message as _;
    use std::time::Duration;

    const MICROS: u64 = 300;

    fn sent(tensor: Tensor, is_dead: bool) -> Vec<u8> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_micros(MICROS);
        encode_recv_tensor(&Received { tensor, is_dead }, now).unwrap().concat()[PREFIX..].to_vec()
    }

    #[test]
    fn the_bytes_are_those_that_tensorflow_sends() {
        let control_edge = [0x18, 0xac, 0x02, 0x0a, 0x0a, 0x08, 0x01, 0x12, 0x04, 0x12, 0x02, 0x08, 0x00, 0x22, 0x00];
        assert_eq!(sent(no_elements().unwrap(), false), control_edge);
        let scalar = [0x18, 0xac, 0x02, 0x0a, 0x08, 0x08, 0x01, 0x22, 0x04, 0x00, 0x00, 0x80, 0x3f];
        assert_eq!(sent(Tensor::scalar(1.0f32), false), scalar);
        assert_eq!(sent(Tensor::scalar(1i64), true), [&[0x10, 0x01][..], &control_edge].concat());
        let back = decode_recv_tensor(&Message::Bytes(Bytes::from_static(&[0x10, 0x01]))).unwrap();
        assert!(back.is_dead);
    }

    #[test]
    fn a_large_tensor_is_the_memory_that_it_arrived_in() {
        let values: Vec<f32> = (0..300_000).map(|i| i as f32).collect();
        let tensor = Tensor::vector(&values).unwrap();
        let segments = encode_recv_tensor(&Received { tensor: tensor.clone(), is_dead: false }, SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(segments.parts.last().unwrap().as_ptr(), tensor.bytes().unwrap().as_ptr());
        let mut assembly = Assembly::new(RECV_TENSOR_RESPONSE, Encoding::Identity);
        for frame in segments.concat().chunks(16 << 10) {
            assembly.push(Bytes::copy_from_slice(frame)).unwrap();
        }
        let message = assembly.finish().unwrap().unwrap();
        let place = message.bytes().as_ptr_range();
        let mut back = decode_recv_tensor(&message).unwrap().tensor;
        drop(message);
        assert!(place.contains(&back.bytes().unwrap().as_ptr()));
        assert_eq!(back.bytes().unwrap().as_ptr() as usize % 64, 0);
        assert_eq!(back.as_slice::<f32>().unwrap(), values);
        assert!(back.as_mut_slice::<f32>().is_ok(), "nobody else holds it, so it can be overwritten in place");
    }

    #[test]
    fn lenient_forms_are_read_as_prost_reads_them() {
        let tensor = |p: pb::TensorProto| pb::RecvTensorResponse { tensor: Some(p), ..Default::default() }.encode_to_vec();
        let float = DType::Float.to_proto();
        let bytes = tensor(pb::TensorProto { dtype: float, float_val: vec![4.0], ..Default::default() });
        let back = decode_recv_tensor(&Message::Bytes(bytes.into())).unwrap();
        assert_eq!(back.tensor.to_scalar::<f32>().unwrap(), 4.0);
        assert!(decode_recv_tensor(&Message::Bytes(Bytes::new())).is_err());
        // Two halves of one tensor: protobuf merges them.
        let first = tensor(pb::TensorProto { dtype: float, ..Default::default() });
        let second = tensor(pb::TensorProto { float_val: vec![5.0], ..Default::default() });
        let back = decode_recv_tensor(&Message::Bytes([first, second].concat().into())).unwrap();
        assert_eq!(back.tensor.to_scalar::<f32>().unwrap(), 5.0);
    }

    #[test]
    fn damaged_bytes_never_panic_and_are_read_as_prost_reads_them() {
        let good = sent(Tensor::from_slice(Shape::new(&[2, 2]).unwrap(), &[1.0f32, 2.0, 3.0, 4.0]).unwrap(), false);
        let mut read = 0;
        for at in 0..good.len() {
            for flip in 0..=255u8 {
                let mut bad = good.clone();
                bad[at] ^= flip;
                for end in [bad.len(), at] {
                    let bytes = Bytes::copy_from_slice(&bad[..end]);
                    let ours = decode_recv_tensor(&Message::Bytes(bytes.clone()));
                    let theirs = pb::RecvTensorResponse::decode(bytes).ok();
                    let theirs = theirs.and_then(|p| if p.is_dead { no_elements().ok() } else { from_proto(&p.tensor?).ok() });
                    if let (Ok(a), Some(b)) = (&ours, &theirs) {
                        read += 1;
                        assert_eq!((a.tensor.dims(), a.tensor.dtype()), (b.dims(), b.dtype()));
                    }
                    assert!(theirs.is_none() || ours.is_ok(), "prost reads {bad:?} up to {end}");
                }
            }
        }
        assert!(read > 1000);
    }
}
