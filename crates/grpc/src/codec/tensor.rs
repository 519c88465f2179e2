//! `TensorProto` straight to and from tensor memory.

use super::wire::{Field, fields, put_tag, put_varint, varint_len};
use crate::frame::Message;
use crate::segments::SegmentWriter;
use bytes::{BufMut, Bytes, BytesMut};
use ferroflow_proto as pb;
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{DType, Result, Shape, Tensor, from_proto, to_proto};
use smallvec::SmallVec;
use std::ops::Range;

/// Where tensor memory has to begin.
const ALIGN: usize = 64;

/// A tensor ready to be written as a `TensorProto`.
pub(super) struct EncodedTensor {
    /// Type and shape, and all else that comes before the elements.
    head: BytesMut,
    /// The elements.
    content: Bytes,
}

impl EncodedTensor {
    /// Raw memory is shared. Strings go in as TF's raw form: lengths, then bytes.
    ///
    /// Errors: `InvalidArgument` for a variant that cannot leave the process.
    pub(super) fn new(tensor: &Tensor) -> Result<EncodedTensor> {
        let content = match tensor.dtype() {
            DType::Resource | DType::Variant => {
                let message = to_proto(tensor)?;
                let mut head = BytesMut::new();
                prost::Message::encode(&message, &mut head).map_err(|e| internal(format!("cannot encode a tensor: {e}")))?;
                return Ok(EncodedTensor { head, content: Bytes::new() });
            }
            DType::String => string_content(tensor.as_strings()?),
            _ => tensor.shared_bytes()?,
        };
        let mut head = BytesMut::with_capacity(32 + 12 * tensor.rank());
        put_tag(&mut head, 1, 0);
        put_varint(&mut head, tensor.dtype().to_proto() as u64);
        if tensor.rank() > 0 {
            let dim_len = |&size: &i64| 1 + varint_len(size as u64);
            let shape_len: usize = tensor.dims().iter().map(|d| 2 + dim_len(d)).sum();
            put_tag(&mut head, 2, 2);
            put_varint(&mut head, shape_len as u64);
            for size in tensor.dims() {
                put_tag(&mut head, 2, 2);
                put_varint(&mut head, dim_len(size) as u64);
                put_tag(&mut head, 1, 0);
                put_varint(&mut head, *size as u64);
            }
        }
        put_tag(&mut head, 4, 2);
        put_varint(&mut head, content.len() as u64);
        Ok(EncodedTensor { head, content })
    }

    /// Bytes of the message.
    pub(super) fn len(&self) -> usize {
        self.head.len() + self.content.len()
    }

    /// Bytes as a field of another message.
    pub(super) fn field_len(&self) -> usize {
        1 + varint_len(self.len() as u64) + self.len()
    }

    /// Writes it as field `number` (below 16) of another message.
    pub(super) fn put(self, number: u32, writer: &mut SegmentWriter) {
        put_tag(writer.buffer(), number, 2);
        put_varint(writer.buffer(), self.len() as u64);
        writer.buffer().put_slice(&self.head);
        writer.put_shared(self.content);
    }
}

fn string_content(strings: &[Bytes]) -> Bytes {
    let len: usize = strings.iter().map(|s| varint_len(s.len() as u64) + s.len()).sum();
    let mut out = BytesMut::with_capacity(len);
    strings.iter().for_each(|s| put_varint(&mut out, s.len() as u64));
    strings.iter().for_each(|s| out.put_slice(s));
    out.freeze()
}

/// Reads the `TensorProto` at `range` of a message.
///
/// Errors: `Internal` for malformed bytes; `InvalidArgument` for an unknown type, a bad shape, or elements that do not fit it.
pub(super) fn decode_tensor(message: &Message, range: Range<usize>) -> Result<Tensor> {
    match raw_tensor(message, range.clone()) {
        Some(raw) => raw.into_tensor(message),
        None => {
            let proto: pb::TensorProto = Message::Bytes(message.shared(range)).decode()?;
            from_proto(&proto)
        }
    }
}

/// A tensor of the plain form: type, shape, raw memory.
struct RawTensor {
    dtype: DType,
    shape: Shape,
    content: Range<usize>,
}

/// `None` for whatever else prost may make of it: typed values, repeated fields, errors.
fn raw_tensor(message: &Message, range: Range<usize>) -> Option<RawTensor> {
    let bytes = message.bytes();
    let (mut dtype, mut shape, mut content) = (None, None, None);
    for field in fields(bytes, range) {
        match field.ok()? {
            (1, Field::Varint(n)) if dtype.is_none() => dtype = Some(DType::from_proto_base(n as i32).ok()?),
            (2, Field::Bytes(place)) if shape.is_none() => shape = Some(raw_shape(bytes, place)?),
            (4, Field::Bytes(place)) if content.is_none() => content = Some(place),
            _ => return None,
        }
    }
    let dtype = dtype.filter(|d| d.is_plain())?;
    Some(RawTensor { dtype, shape: shape.unwrap_or_else(Shape::scalar), content: content.filter(|c| !c.is_empty())? })
}

fn raw_shape(bytes: &[u8], range: Range<usize>) -> Option<Shape> {
    let mut dims: SmallVec<[i64; 8]> = SmallVec::new();
    for field in fields(bytes, range) {
        let (2, Field::Bytes(dim)) = field.ok()? else { return None };
        let mut size = 0;
        for field in fields(bytes, dim) {
            match field.ok()? {
                (1, Field::Varint(n)) => size = n as i64,
                // Names of dimensions are for people, but must be text for prost.
                _ => return None,
            }
        }
        dims.push(size);
    }
    Shape::new(&dims).ok()
}

impl RawTensor {
    /// The elements where they lie, if they lie well and make up most of the message; a copy otherwise.
    fn into_tensor(self, message: &Message) -> Result<Tensor> {
        let RawTensor { dtype, shape, content } = self;
        if let Message::Buffer { buffer, range } = message {
            let offset = range.start + content.start;
            let fits = shape.num_elements().checked_mul(dtype.size()) == Some(content.len());
            if fits && offset.is_multiple_of(ALIGN) && content.len() >= range.len() / 2 {
                return Tensor::from_buffer(dtype, shape, buffer.clone(), offset);
            }
        }
        Tensor::from_bytes(dtype, shape, message.bytes().get(content).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segments::PREFIX;
    use ferroflow_tensor::Element;
    use prost::Message as _;

    fn encoded(tensor: &Tensor) -> Bytes {
        let e = EncodedTensor::new(tensor).unwrap();
        let mut w = SegmentWriter::new(e.field_len()).unwrap();
        e.put(1, &mut w);
        let all = w.finish().concat();
        let body = fields(&all, PREFIX..all.len()).next().unwrap().unwrap();
        let (1, Field::Bytes(range)) = body else { panic!("{body:?}") };
        all.slice(range)
    }

    fn decoded(bytes: &Bytes) -> Result<Tensor> {
        decode_tensor(&Message::Bytes(bytes.clone()), 0..bytes.len())
    }

    fn check<T: Element>(dims: &[i64], values: &[T]) {
        let tensor = Tensor::from_slice(Shape::new(dims).unwrap(), values).unwrap();
        let bytes = encoded(&tensor);
        let proto = pb::TensorProto::decode(bytes.clone()).unwrap();
        assert_eq!(from_proto(&proto).unwrap().bytes().unwrap(), tensor.bytes().unwrap());
        let back = decoded(&bytes).unwrap();
        assert_eq!((back.dtype(), back.dims()), (tensor.dtype(), tensor.dims()));
        assert_eq!(back.bytes().unwrap(), tensor.bytes().unwrap());
        let align = if size_of_val(values) > 16 { ALIGN } else { 16 };
        assert_eq!(back.bytes().unwrap().as_ptr() as usize % align, 0);
    }

    #[test]
    fn plain_tensors_come_back_aligned() {
        check(&[], &[1.0f32]);
        check(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
        check(&[0], &[0.0f64; 0]);
        check(&[3], &[true, false, true]);
        check(&[200, 300], &vec![7u8; 60_000]);
    }

    #[test]
    fn strings_are_written_in_the_raw_form() {
        let t = Tensor::strings(Shape::new(&[3]).unwrap(), vec!["ab".into(), "".into(), "hello".into()]).unwrap();
        let bytes = encoded(&t);
        assert_eq!(pb::TensorProto::decode(bytes.clone()).unwrap().tensor_content, &b"\x02\x00\x05abhello"[..]);
        assert_eq!(decoded(&bytes).unwrap().as_strings().unwrap(), t.as_strings().unwrap());
    }

    #[test]
    fn contents_that_do_not_fit_the_shape_are_refused() {
        let mut p = to_proto(&Tensor::vector(&[1.0f32, 2.0]).unwrap()).unwrap();
        p.tensor_content = p.tensor_content.slice(..7);
        assert!(decoded(&p.encode_to_vec().into()).is_err());
        p.dtype = 9999;
        assert!(decoded(&p.encode_to_vec().into()).is_err());
        p = pb::TensorProto { float_val: vec![2.5], ..Default::default() };
        p.dtype = DType::Float.to_proto();
        assert_eq!(decoded(&p.encode_to_vec().into()).unwrap().to_scalar::<f32>().unwrap(), 2.5);
    }
}
