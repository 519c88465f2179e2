//! Elements in the typed fields of a `TensorProto`, which is how the V1 format keeps them.

use ferroflow_proto::TensorProto;
use ferroflow_tensor::error::{Result, data_loss, invalid_argument};
use ferroflow_tensor::{DType, Shape, Tensor, from_proto, shape_to_proto};

/// The elements alone: neither type nor shape is set.
///
/// Errors: `InvalidArgument` for a type that the format does not know.
pub(super) fn encode(t: &Tensor) -> Result<TensorProto> {
    let mut p = TensorProto::default();
    match t.dtype() {
        DType::Float => p.float_val = t.as_slice::<f32>()?.to_vec(),
        DType::Double => p.double_val = t.as_slice::<f64>()?.to_vec(),
        DType::Int32 => p.int_val = t.as_slice::<i32>()?.to_vec(),
        DType::UInt8 => p.int_val = t.as_slice::<u8>()?.iter().map(|&v| v.into()).collect(),
        DType::Int16 => p.int_val = t.as_slice::<i16>()?.iter().map(|&v| v.into()).collect(),
        DType::Int8 => p.int_val = t.as_slice::<i8>()?.iter().map(|&v| v.into()).collect(),
        DType::UInt16 => p.int_val = t.as_slice::<u16>()?.iter().map(|&v| v.into()).collect(),
        DType::Int64 => p.int64_val = t.as_slice::<i64>()?.to_vec(),
        DType::Bool => p.bool_val = t.as_slice::<bool>()?.to_vec(),
        DType::String => p.string_val = t.as_strings()?.to_vec(),
        DType::Complex64 => p.scomplex_val = floats(t, 4, |b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))?,
        DType::Complex128 => p.dcomplex_val = floats(t, 8, |b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))?,
        DType::Half => p.half_val = t.bytes()?.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]).into()).collect(),
        other => return Err(invalid_argument(format!("Tensor slice serialization not implemented for {other}"))),
    }
    Ok(p)
}

/// The parts of complex numbers, one after the other; `number` gets `size` bytes.
fn floats<T>(t: &Tensor, size: usize, number: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
    Ok(t.bytes()?.chunks_exact(size).map(number).collect())
}

/// The tensor of this type and shape that the elements make.
///
/// Errors: `DataLoss` if there are more or fewer; `InvalidArgument` for a type that the format does not know.
pub(super) fn decode(mut p: TensorProto, dtype: DType, shape: &Shape) -> Result<Tensor> {
    let n = match dtype {
        DType::Float => p.float_val.len(),
        DType::Double => p.double_val.len(),
        DType::Int32 | DType::UInt8 | DType::Int16 | DType::Int8 | DType::UInt16 => p.int_val.len(),
        DType::Int64 => p.int64_val.len(),
        DType::Bool => p.bool_val.len(),
        DType::String => p.string_val.len(),
        DType::Complex64 => p.scomplex_val.len() / 2,
        DType::Complex128 => p.dcomplex_val.len() / 2,
        DType::Half => p.half_val.len(),
        other => return Err(invalid_argument(format!("Tensor slice serialization not implemented for {other}"))),
    };
    if n != shape.num_elements() || !p.tensor_content.is_empty() {
        return Err(data_loss(format!("a slice of shape {shape} has {n} elements of type {dtype}")));
    }
    p.dtype = dtype.to_proto();
    p.tensor_shape = Some(shape_to_proto(shape));
    from_proto(&p)
}
