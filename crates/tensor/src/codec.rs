//! `TensorProto` and `TensorShapeProto` to and from [`Tensor`] and the shape types.
//!
//! Readers are lenient as TF's are: raw memory or typed values, fewer values than elements (the last one repeats), none at
//! all (zeros), no shape (scalar). Writers use raw memory, or the typed field for what is no plain memory.

use crate::dtype::{DType, Element};
use crate::error::{Result, invalid_argument};
use crate::handle::{ResourceHandle, Variant};
use crate::shape::{PartialShape, Shape};
use crate::tensor::Tensor;
use bytes::Bytes;
use ferroflow_proto as pb;
use ferroflow_proto::Message as _;
use half::{bf16, f16};
use num_complex::Complex;

/// A fully known shape.
///
/// Errors: `InvalidArgument` if it is partial, negative or overflows.
pub fn shape_from_proto(p: &pb::TensorShapeProto) -> Result<Shape> {
    if p.unknown_rank {
        return Err(invalid_argument("the shape of a tensor has unknown rank"));
    }
    let dims: smallvec::SmallVec<[i64; 8]> = p.dim.iter().map(|d| d.size).collect();
    Shape::new(&dims)
}

/// A shape as a message.
pub fn shape_to_proto(s: &Shape) -> pb::TensorShapeProto {
    partial_shape_to_proto(&s.into())
}

/// A shape that may be partly unknown.
///
/// Errors: `InvalidArgument` for dimensions below −1 or an overflow.
pub fn partial_shape_from_proto(p: &pb::TensorShapeProto) -> Result<PartialShape> {
    if p.unknown_rank {
        return Ok(PartialShape::unknown());
    }
    let dims: smallvec::SmallVec<[i64; 8]> = p.dim.iter().map(|d| d.size).collect();
    PartialShape::from_numbers(&dims)
}

/// A shape that may be partly unknown as a message.
pub fn partial_shape_to_proto(s: &PartialShape) -> pb::TensorShapeProto {
    let dim = |d: &Option<i64>| pb::tensor_shape_proto::Dim { size: d.unwrap_or(-1), ..Default::default() };
    match s.dims() {
        None => pb::TensorShapeProto { unknown_rank: true, ..Default::default() },
        Some(dims) => pb::TensorShapeProto { dim: dims.iter().map(dim).collect(), unknown_rank: false },
    }
}

/// How deeply variants may nest in a message.
const MAX_DEPTH: u32 = 32;

/// Reads a tensor.
///
/// Errors: `InvalidArgument` for an unknown type, a bad shape, or contents that do not fit it; `ResourceExhausted` without memory.
pub fn from_proto(p: &pb::TensorProto) -> Result<Tensor> {
    from_proto_at(p, 0)
}

fn from_proto_at(p: &pb::TensorProto, depth: u32) -> Result<Tensor> {
    let dtype = DType::from_proto_base(p.dtype)?;
    let shape = p.tensor_shape.as_ref().map_or(Ok(Shape::scalar()), shape_from_proto)?;
    if !p.tensor_content.is_empty() {
        return match dtype {
            DType::String => {
                let strings = elements_of_content(&shape, &p.tensor_content)?;
                Tensor::strings(shape, strings)
            }
            DType::Resource => {
                let handles = elements_of_content(&shape, &p.tensor_content)?;
                let handles = handles.iter().map(|b| handle_from_bytes(b)).collect::<Result<_>>()?;
                Tensor::resources(shape, handles)
            }
            DType::Variant => {
                let read = |bytes: &Bytes| {
                    let message = pb::VariantTensorDataProto::decode(bytes.clone());
                    variant_from_proto(&message.map_err(|e| invalid_argument(format!("not a variant: {e}")))?, depth)
                };
                let variants = elements_of_content(&shape, &p.tensor_content)?;
                let variants = variants.iter().map(read).collect::<Result<_>>()?;
                Tensor::variants(shape, variants)
            }
            _ => Tensor::from_bytes(dtype, shape, &p.tensor_content),
        };
    }
    macro_rules! plain {
        ($ty:ty, $values:expr, $v:ident => $conv:expr) => {
            plain::<_, $ty>(shape, $values, |$v| $conv)
        };
    }
    match dtype {
        DType::Float => plain!(f32, &p.float_val, v => *v),
        DType::Double => plain!(f64, &p.double_val, v => *v),
        DType::Int32 => plain!(i32, &p.int_val, v => *v),
        DType::Int16 => plain!(i16, &p.int_val, v => *v as i16),
        DType::Int8 => plain!(i8, &p.int_val, v => *v as i8),
        DType::UInt8 => plain!(u8, &p.int_val, v => *v as u8),
        DType::UInt16 => plain!(u16, &p.int_val, v => *v as u16),
        DType::UInt32 => plain!(u32, &p.uint32_val, v => *v),
        DType::UInt64 => plain!(u64, &p.uint64_val, v => *v),
        DType::Int64 => plain!(i64, &p.int64_val, v => *v),
        DType::Bool => plain!(bool, &p.bool_val, v => *v),
        DType::Half => plain!(f16, &p.half_val, v => f16::from_bits(*v as u16)),
        DType::BFloat16 => plain!(bf16, &p.half_val, v => bf16::from_bits(*v as u16)),
        DType::Complex64 => {
            let pairs: Vec<Complex<f32>> = p.scomplex_val.chunks_exact(2).map(|c| Complex::new(c[0], c[1])).collect();
            plain!(Complex<f32>, &pairs, v => *v)
        }
        DType::Complex128 => {
            let pairs: Vec<Complex<f64>> = p.dcomplex_val.chunks_exact(2).map(|c| Complex::new(c[0], c[1])).collect();
            plain!(Complex<f64>, &pairs, v => *v)
        }
        DType::QInt8 | DType::QUInt8 | DType::Int4 | DType::UInt4 => plain!(u8, &p.int_val, v => *v as u8)?.reinterpreted(dtype),
        DType::QInt16 | DType::QUInt16 => plain!(u16, &p.int_val, v => *v as u16)?.reinterpreted(dtype),
        DType::QInt32 => plain!(i32, &p.int_val, v => *v)?.reinterpreted(dtype),
        DType::Float8E5M2 | DType::Float8E4M3FN => {
            let bytes: Vec<u8> = p.float8_val.to_vec();
            plain!(u8, &bytes, v => *v)?.reinterpreted(dtype)
        }
        DType::String => {
            let n = shape.num_elements();
            let mut t = Tensor::zeros(dtype, shape)?;
            if let Some(last) = p.string_val.last() {
                for (i, place) in t.make_mut_strings()?.iter_mut().enumerate().take(n) {
                    *place = p.string_val.get(i).unwrap_or(last).clone();
                }
            }
            Ok(t)
        }
        DType::Resource => {
            let handles = p.resource_handle_val.iter().map(handle_from_proto).collect::<Result<Vec<_>>>()?;
            Tensor::resources(shape, handles)
        }
        DType::Variant => Tensor::variants(shape, p.variant_val.iter().map(|v| variant_from_proto(v, depth)).collect::<Result<_>>()?),
    }
}

/// A variant whose type nobody has looked at yet, at this depth of variants in variants.
fn variant_from_proto(v: &pb::VariantTensorDataProto, depth: u32) -> Result<Variant> {
    if depth >= MAX_DEPTH {
        return Err(invalid_argument("variants are nested too deeply"));
    }
    if v.type_name.is_empty() {
        return Ok(Variant::Empty);
    }
    Ok(Variant::Encoded {
        type_name: v.type_name.clone(),
        metadata: v.metadata.clone(),
        tensors: v.tensors.iter().map(|t| from_proto_at(t, depth + 1)).collect::<Result<_>>()?,
    })
}

/// The values of a typed field, the last one repeated.
fn plain<V, T: Element>(shape: Shape, values: &[V], convert: impl Fn(&V) -> T) -> Result<Tensor> {
    let Some(last) = values.last() else { return Tensor::zeros(T::DTYPE, shape) };
    let last = convert(last);
    Tensor::build(shape, |out: &mut [T]| {
        let given = out.len().min(values.len());
        for (o, v) in out.iter_mut().zip(values) {
            *o = convert(v);
        }
        out[given..].fill(last);
        Ok(())
    })
}

/// What is no plain memory, in `tensor_content`: the lengths as varints, then all bytes. These are strings, or the messages of
/// handles and variants, as TF's tasks send them to each other. The elements share the message's memory.
fn elements_of_content(shape: &Shape, content: &Bytes) -> Result<Vec<Bytes>> {
    let bad = || invalid_argument("malformed contents of a tensor of strings, handles or variants");
    let n = shape.num_elements();
    // Each length takes at least a byte, so a lying shape is found before memory is taken for it.
    if n > content.len() {
        return Err(bad());
    }
    let mut at = 0usize;
    let mut lengths = Vec::with_capacity(n);
    for _ in 0..n {
        let (mut value, mut shift) = (0u64, 0u32);
        loop {
            let byte = *content.get(at).ok_or_else(bad)?;
            at += 1;
            if shift > 63 {
                return Err(bad());
            }
            value |= ((byte & 0x7f) as u64) << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
        }
        lengths.push(usize::try_from(value).map_err(|_| bad())?);
    }
    let mut strings = Vec::with_capacity(n);
    for len in lengths {
        let end = at.checked_add(len).filter(|&e| e <= content.len()).ok_or_else(bad)?;
        strings.push(content.slice(at..end));
        at = end;
    }
    Ok(strings)
}

fn handle_from_proto(h: &pb::ResourceHandleProto) -> Result<ResourceHandle> {
    let known = |d: &pb::resource_handle_proto::DtypeAndShape| {
        Ok((DType::from_proto_base(d.dtype)?, d.shape.as_ref().map_or(Ok(PartialShape::unknown()), partial_shape_from_proto)?))
    };
    Ok(ResourceHandle {
        device: h.device.clone(),
        container: h.container.clone(),
        name: h.name.clone(),
        hash_code: h.hash_code,
        maybe_type_name: h.maybe_type_name.clone(),
        dtypes_and_shapes: h.dtypes_and_shapes.iter().map(known).collect::<Result<_>>()?,
    })
}

fn handle_to_proto(h: &ResourceHandle) -> pb::ResourceHandleProto {
    let known = |(d, s): &(DType, PartialShape)| pb::resource_handle_proto::DtypeAndShape {
        dtype: d.to_proto(),
        shape: Some(partial_shape_to_proto(s)),
    };
    pb::ResourceHandleProto {
        device: h.device.clone(),
        container: h.container.clone(),
        name: h.name.clone(),
        hash_code: h.hash_code,
        maybe_type_name: h.maybe_type_name.clone(),
        dtypes_and_shapes: h.dtypes_and_shapes.iter().map(known).collect(),
    }
}

/// A resource handle as bytes (TF: `ResourceHandle::SerializeAsString`).
pub fn handle_to_bytes(h: &ResourceHandle) -> Vec<u8> {
    handle_to_proto(h).encode_to_vec()
}

/// The resource handle in bytes that [`handle_to_bytes`] made.
///
/// Errors: `InvalidArgument` for bytes that are none.
pub fn handle_from_bytes(bytes: &[u8]) -> Result<ResourceHandle> {
    let h = pb::ResourceHandleProto::decode(bytes).map_err(|e| invalid_argument(format!("not a resource handle: {e}")))?;
    handle_from_proto(&h)
}

/// Writes a tensor. Plain memory is shared, not copied.
///
/// Errors: `InvalidArgument` for a variant that cannot leave the process.
pub fn to_proto(t: &Tensor) -> Result<pb::TensorProto> {
    let mut p = pb::TensorProto { dtype: t.dtype().to_proto(), tensor_shape: Some(shape_to_proto(t.shape())), ..Default::default() };
    match t.dtype() {
        DType::String => p.string_val = t.as_strings()?.to_vec(),
        DType::Resource => {
            p.resource_handle_val = t.as_resources()?.iter().map(handle_to_proto).collect();
        }
        DType::Variant => p.variant_val = t.as_variants()?.iter().map(variant_to_proto).collect::<Result<_>>()?,
        _ => p.tensor_content = t.shared_bytes()?,
    }
    Ok(p)
}

fn variant_to_proto(v: &Variant) -> Result<pb::VariantTensorDataProto> {
    let parts = |type_name: &str, metadata: Bytes, tensors: &[Tensor]| -> Result<pb::VariantTensorDataProto> {
        Ok(pb::VariantTensorDataProto {
            type_name: type_name.to_owned(),
            metadata,
            tensors: tensors.iter().map(to_proto).collect::<Result<_>>()?,
        })
    };
    match v {
        Variant::Empty => Ok(pb::VariantTensorDataProto::default()),
        Variant::Encoded { type_name, metadata, tensors } => parts(type_name, metadata.clone(), tensors),
        Variant::Value(value) => match value.encode() {
            Some((metadata, tensors)) => parts(value.type_name(), metadata, &tensors),
            None => Err(invalid_argument(format!("a variant of type {} cannot leave its process", value.type_name()))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(dtype: DType, dims: &[i64]) -> pb::TensorProto {
        let dim = dims.iter().map(|&size| pb::tensor_shape_proto::Dim { size, ..Default::default() }).collect();
        pb::TensorProto {
            dtype: dtype.to_proto(),
            tensor_shape: Some(pb::TensorShapeProto { dim, unknown_rank: false }),
            ..Default::default()
        }
    }

    #[test]
    fn the_last_value_repeats_and_no_value_means_zero() {
        let mut p = message(DType::Float, &[2, 2]);
        assert_eq!(from_proto(&p).unwrap().as_slice::<f32>().unwrap(), [0.0; 4]);
        p.float_val = vec![3.0, 1.0];
        assert_eq!(from_proto(&p).unwrap().as_slice::<f32>().unwrap(), [3.0, 1.0, 1.0, 1.0]);
        let mut c = message(DType::Complex64, &[2]);
        c.scomplex_val = vec![1.0, 2.0];
        assert_eq!(from_proto(&c).unwrap().as_slice::<Complex<f32>>().unwrap(), [Complex::new(1.0, 2.0); 2]);
    }

    #[test]
    fn sixteen_bit_floats_are_bit_patterns() {
        let mut p = message(DType::BFloat16, &[]);
        p.half_val = vec![16320];
        assert_eq!(from_proto(&p).unwrap().to_scalar::<bf16>().unwrap(), bf16::from_f32(1.5));
    }

    #[test]
    fn strings_come_as_values_or_as_content() {
        let mut p = message(DType::String, &[3]);
        p.tensor_content = Bytes::from_static(b"\x02\x00\x05abhello");
        assert_eq!(from_proto(&p).unwrap().as_strings().unwrap(), ["ab", "", "hello"]);
        for cut in 0..p.tensor_content.len() {
            let mut q = p.clone();
            q.tensor_content = p.tensor_content.slice(..cut);
            if cut > 0 {
                assert!(from_proto(&q).is_err(), "{cut}");
            }
        }
    }

    #[test]
    fn handles_and_variants_come_as_values_or_as_content() {
        let content = |messages: [Vec<u8>; 2]| -> Bytes {
            let lengths = messages.iter().map(|m| u8::try_from(m.len()).unwrap());
            lengths.chain(messages.iter().flatten().copied()).collect::<Vec<u8>>().into()
        };
        let mut p = message(DType::Resource, &[2]);
        let [a, b] = ["a", "b"].map(|name| ResourceHandle { name: name.into(), ..Default::default() });
        p.tensor_content = content([handle_to_bytes(&a), handle_to_bytes(&b)]);
        assert_eq!(from_proto(&p).unwrap().as_resources().unwrap(), [a, b]);

        let mut p = message(DType::Variant, &[2]);
        let inner = to_proto(&Tensor::scalar(7i32)).unwrap();
        let list = pb::VariantTensorDataProto { type_name: "list".into(), metadata: "m".into(), tensors: vec![inner] };
        p.tensor_content = content([list.encode_to_vec(), Vec::new()]);
        let t = from_proto(&p).unwrap();
        let [Variant::Encoded { type_name, metadata, tensors }, Variant::Empty] = t.as_variants().unwrap() else { panic!("{t:?}") };
        assert_eq!((type_name.as_str(), &metadata[..], tensors[0].to_scalar::<i32>().unwrap()), ("list", &b"m"[..], 7));
        for cut in 1..p.tensor_content.len() {
            let mut q = p.clone();
            q.tensor_content = p.tensor_content.slice(..cut);
            assert!(from_proto(&q).is_err(), "{cut}");
        }
    }

    #[test]
    fn contents_that_do_not_fit_the_shape_are_refused() {
        let mut p = message(DType::Int32, &[2]);
        p.tensor_content = Bytes::from_static(&[1, 2, 3]);
        assert!(from_proto(&p).is_err());
        assert!(from_proto(&message(DType::Float, &[-1])).is_err());
        assert!(from_proto(&message(DType::Float, &[1 << 40, 1 << 40])).is_err());
        assert!(from_proto(&message(DType::String, &[1 << 50])).is_err());
        assert!(from_proto(&pb::TensorProto::default()).is_err());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let t = Tensor::from_slice(Shape::new(&[2, 1]).unwrap(), &[1.5f64, -2.0]).unwrap();
        assert_eq!(from_proto(&to_proto(&t).unwrap()).unwrap().bytes().unwrap(), t.bytes().unwrap());
        let s = Tensor::strings(Shape::new(&[2]).unwrap(), vec!["a".into(), "".into()]).unwrap();
        assert_eq!(from_proto(&to_proto(&s).unwrap()).unwrap().as_strings().unwrap(), s.as_strings().unwrap());
    }
}
