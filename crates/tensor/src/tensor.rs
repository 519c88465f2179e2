//! `Tensor`: dtype, shape and a shared buffer (TF: `Tensor`). Cloning shares the elements.

use crate::buffer::Buffer;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, internal, invalid_argument, resource_exhausted};
use crate::handle::{ResourceHandle, Variant};
use crate::shape::Shape;
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// An n-dimensional array. Elements are row-major and little-endian in memory.
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    shape: Shape,
    data: Data,
}

#[derive(Clone)]
enum Data {
    /// Plain memory: `offset` bytes into a buffer that other tensors may share.
    Plain {
        buffer: Buffer,
        offset: usize,
    },
    Strings(Arc<Vec<Bytes>>),
    Resources(Arc<Vec<ResourceHandle>>),
    Variants(Arc<Vec<Variant>>),
}

fn bytes_needed(dtype: DType, shape: &Shape) -> Result<usize> {
    shape
        .num_elements()
        .checked_mul(dtype.size())
        .filter(|&n| n <= isize::MAX as usize / 2)
        .ok_or_else(|| resource_exhausted(format!("a {dtype} tensor of shape {shape} is larger than memory can be")))
}

/// More than this at once is refused before the system is asked: a lazily backed allocation would succeed and then kill the process.
fn check_memory(bytes: usize, dtype: DType, shape: &Shape) -> Result<()> {
    const LARGEST: usize = 1 << 36;
    if bytes > LARGEST {
        return Err(resource_exhausted(format!("OOM when allocating tensor with shape{shape} and type {dtype}: {bytes} bytes")));
    }
    Ok(())
}

impl Tensor {
    /// A tensor of zeros, false, empty strings or empty handles.
    ///
    /// Errors: `ResourceExhausted` if there is no memory for it.
    pub fn zeros(dtype: DType, shape: Shape) -> Result<Tensor> {
        let n = shape.num_elements();
        let data = match dtype {
            DType::String | DType::Resource | DType::Variant => {
                check_memory(n.saturating_mul(32), dtype, &shape)?;
                match dtype {
                    DType::String => Data::Strings(Arc::new(vec![Bytes::new(); n])),
                    DType::Resource => Data::Resources(Arc::new(vec![ResourceHandle::default(); n])),
                    _ => Data::Variants(Arc::new(vec![Variant::Empty; n])),
                }
            }
            _ => {
                let len = bytes_needed(dtype, &shape)?;
                check_memory(len, dtype, &shape)?;
                let buffer = Buffer::zeroed(len).ok_or_else(|| no_memory(dtype, &shape))?;
                Data::Plain { buffer, offset: 0 }
            }
        };
        Ok(Tensor { dtype, shape, data })
    }

    /// A plain tensor whose elements are written by `fill` before anyone sees them.
    ///
    /// The elements that `fill` is handed hold arbitrary values (bools: false): write all of them.
    ///
    /// Errors: `ResourceExhausted` without memory; what `fill` returns.
    pub fn build<T: Element>(shape: Shape, fill: impl FnOnce(&mut [T]) -> Result<()>) -> Result<Tensor> {
        let mut t = Tensor::for_overwrite(T::DTYPE, shape)?;
        fill(t.as_mut_slice::<T>()?)?;
        Ok(t)
    }

    /// A plain tensor to be overwritten whole. Its elements are old memory of the pool or zeros: valid, but meaningless.
    ///
    /// Errors: `ResourceExhausted` without memory; `Internal` if the type is not plain.
    pub fn for_overwrite(dtype: DType, shape: Shape) -> Result<Tensor> {
        if !dtype.is_plain() || dtype == DType::Bool {
            return Tensor::zeros(dtype, shape);
        }
        let len = bytes_needed(dtype, &shape)?;
        check_memory(len, dtype, &shape)?;
        let buffer = Buffer::recycled(len).ok_or_else(|| no_memory(dtype, &shape))?;
        Ok(Tensor { dtype, shape, data: Data::Plain { buffer, offset: 0 } })
    }

    /// A tensor of these elements.
    ///
    /// Errors: `InvalidArgument` if their number is not the shape's; `ResourceExhausted` without memory.
    pub fn from_slice<T: Element>(shape: Shape, elements: &[T]) -> Result<Tensor> {
        if shape.num_elements() != elements.len() {
            return Err(invalid_argument(format!("{} elements do not make a tensor of shape {shape}", elements.len())));
        }
        Tensor::build(shape, |out| {
            out.copy_from_slice(elements);
            Ok(())
        })
    }

    /// A vector of these elements.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub fn vector<T: Element>(elements: &[T]) -> Result<Tensor> {
        Tensor::from_slice(Shape::from_lens(&[elements.len()])?, elements)
    }

    /// A scalar.
    ///
    /// # Panics
    /// If the system has no memory for 64 bytes.
    pub fn scalar<T: Element>(value: T) -> Tensor {
        Tensor::from_slice(Shape::scalar(), &[value]).expect("memory for a scalar")
    }

    /// A string tensor.
    ///
    /// Errors: `InvalidArgument` if the number of strings is not the shape's.
    pub fn strings(shape: Shape, elements: Vec<Bytes>) -> Result<Tensor> {
        check_count(&shape, elements.len())?;
        Ok(Tensor { dtype: DType::String, shape, data: Data::Strings(Arc::new(elements)) })
    }

    /// A string scalar.
    pub fn string(value: impl Into<Bytes>) -> Tensor {
        Tensor { dtype: DType::String, shape: Shape::scalar(), data: Data::Strings(Arc::new(vec![value.into()])) }
    }

    /// A tensor of resource handles.
    ///
    /// Errors: `InvalidArgument` if the number of handles is not the shape's.
    pub fn resources(shape: Shape, elements: Vec<ResourceHandle>) -> Result<Tensor> {
        check_count(&shape, elements.len())?;
        Ok(Tensor { dtype: DType::Resource, shape, data: Data::Resources(Arc::new(elements)) })
    }

    /// A scalar resource handle.
    pub fn resource(handle: ResourceHandle) -> Tensor {
        Tensor { dtype: DType::Resource, shape: Shape::scalar(), data: Data::Resources(Arc::new(vec![handle])) }
    }

    /// A tensor of variants.
    ///
    /// Errors: `InvalidArgument` if the number of elements is not the shape's.
    pub fn variants(shape: Shape, elements: Vec<Variant>) -> Result<Tensor> {
        check_count(&shape, elements.len())?;
        Ok(Tensor { dtype: DType::Variant, shape, data: Data::Variants(Arc::new(elements)) })
    }

    /// A plain tensor over the memory of `buffer`, from byte `offset` on. Bools are normalised to 0 and 1.
    ///
    /// Errors: `InvalidArgument` if the buffer is too short; `Internal` if the type is not plain or `offset` is not aligned to it.
    pub fn from_buffer(dtype: DType, shape: Shape, mut buffer: Buffer, offset: usize) -> Result<Tensor> {
        if !dtype.is_plain() {
            return Err(internal(format!("{dtype} elements are not plain memory")));
        }
        let need = bytes_needed(dtype, &shape)?;
        if offset.checked_add(need).is_none_or(|end| end > buffer.len()) {
            return Err(invalid_argument(format!(
                "{} bytes do not hold a {dtype} tensor of shape {shape}, which takes {need}",
                buffer.len().saturating_sub(offset)
            )));
        }
        if !offset.is_multiple_of(dtype.size()) {
            return Err(internal(format!("offset {offset} is not aligned for {dtype}")));
        }
        if dtype == DType::Bool && buffer.as_slice()[offset..offset + need].iter().any(|&b| b > 1) {
            let normal: Vec<u8> = buffer.as_slice()[offset..offset + need].iter().map(|&b| (b != 0) as u8).collect();
            buffer = Buffer::zeroed(need).ok_or_else(|| no_memory(dtype, &shape))?;
            if let Some(out) = buffer.get_mut() {
                out.copy_from_slice(&normal);
            }
            return Ok(Tensor { dtype, shape, data: Data::Plain { buffer, offset: 0 } });
        }
        Ok(Tensor { dtype, shape, data: Data::Plain { buffer, offset } })
    }

    /// A plain tensor of little-endian memory, copied.
    ///
    /// Errors: `InvalidArgument` if the number of bytes is not what the shape takes.
    pub fn from_bytes(dtype: DType, shape: Shape, bytes: &[u8]) -> Result<Tensor> {
        let need = bytes_needed(dtype, &shape)?;
        if need != bytes.len() || !dtype.is_plain() {
            return Err(invalid_argument(format!("{} bytes are not a {dtype} tensor of shape {shape}, which takes {need}", bytes.len())));
        }
        let mut buffer = Buffer::recycled(need).ok_or_else(|| no_memory(dtype, &shape))?;
        if let Some(out) = buffer.get_mut() {
            out.copy_from_slice(bytes);
        }
        Tensor::from_buffer(dtype, shape, buffer, 0)
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The dimensions.
    pub fn dims(&self) -> &[i64] {
        self.shape.dims()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The number of elements.
    pub fn num_elements(&self) -> usize {
        self.shape.num_elements()
    }

    /// Bytes that the elements take; for strings the sum of their lengths.
    pub fn num_bytes(&self) -> usize {
        match &self.data {
            Data::Plain { .. } => self.num_elements() * self.dtype.size(),
            Data::Strings(s) => s.iter().map(|s| s.len()).sum(),
            Data::Resources(_) | Data::Variants(_) => 0,
        }
    }

    /// The elements.
    ///
    /// Errors: `InvalidArgument` if the tensor is of another type.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        let n = self.num_elements();
        match &self.data {
            Data::Plain { buffer, offset } if self.dtype == T::DTYPE => {
                // SAFETY: the buffer holds n elements from `offset` on (checked when made), aligned for T.
                Ok(unsafe { std::slice::from_raw_parts(buffer.as_slice().as_ptr().add(*offset).cast::<T>(), n) })
            }
            _ => Err(wrong_type(self.dtype, T::DTYPE)),
        }
    }

    /// The elements to write. Only for a tensor whose memory nobody else holds, such as one just made.
    ///
    /// Errors: `InvalidArgument` if the tensor is of another type; `Internal` if its memory is shared.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let n = self.num_elements();
        match &mut self.data {
            Data::Plain { buffer, offset } if self.dtype == T::DTYPE => {
                let offset = *offset;
                let memory = buffer.get_mut().ok_or_else(|| internal("the tensor's memory is shared"))?;
                // SAFETY: as in `as_slice`, and we are the only owner.
                Ok(unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().add(offset).cast::<T>(), n) })
            }
            _ => Err(wrong_type(self.dtype, T::DTYPE)),
        }
    }

    /// The elements to write, copied first if others share them (copy on write).
    ///
    /// Errors: as [`Tensor::as_mut_slice`], and `ResourceExhausted`.
    pub fn make_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        if !self.is_unique() {
            *self = Tensor::from_slice(self.shape.clone(), self.as_slice::<T>()?)?;
        }
        self.as_mut_slice()
    }

    /// The strings.
    ///
    /// Errors: `InvalidArgument` if it is not a string tensor.
    pub fn as_strings(&self) -> Result<&[Bytes]> {
        match &self.data {
            Data::Strings(s) => Ok(s),
            _ => Err(wrong_type(self.dtype, DType::String)),
        }
    }

    /// The strings to write, copied first if others share them.
    ///
    /// Errors: `InvalidArgument` if it is not a string tensor.
    pub fn make_mut_strings(&mut self) -> Result<&mut Vec<Bytes>> {
        match &mut self.data {
            Data::Strings(s) => Ok(Arc::make_mut(s)),
            _ => Err(wrong_type(self.dtype, DType::String)),
        }
    }

    /// The resource handles.
    ///
    /// Errors: `InvalidArgument` if it is not a resource tensor.
    pub fn as_resources(&self) -> Result<&[ResourceHandle]> {
        match &self.data {
            Data::Resources(r) => Ok(r),
            _ => Err(wrong_type(self.dtype, DType::Resource)),
        }
    }

    /// The variants.
    ///
    /// Errors: `InvalidArgument` if it is not a variant tensor.
    pub fn as_variants(&self) -> Result<&[Variant]> {
        match &self.data {
            Data::Variants(v) => Ok(v),
            _ => Err(wrong_type(self.dtype, DType::Variant)),
        }
    }

    /// The only element.
    ///
    /// Errors: `InvalidArgument` if there is not exactly one, or it is of another type.
    pub fn to_scalar<T: Element>(&self) -> Result<T> {
        match self.as_slice::<T>()? {
            [x] => Ok(*x),
            _ => Err(invalid_argument(format!("expected a scalar, got a tensor of shape {}", self.shape))),
        }
    }

    /// The elements of an int32 or int64 tensor as i64, such as those of a shape or an axis argument.
    ///
    /// Errors: `InvalidArgument` for other types.
    pub fn to_i64s(&self) -> Result<smallvec::SmallVec<[i64; 8]>> {
        match self.dtype {
            DType::Int32 => Ok(self.as_slice::<i32>()?.iter().map(|&x| x as i64).collect()),
            DType::Int64 => Ok(self.as_slice::<i64>()?.iter().copied().collect()),
            DType::Int16 => Ok(self.as_slice::<i16>()?.iter().map(|&x| x as i64).collect()),
            other => Err(invalid_argument(format!("expected int32 or int64, got {other}"))),
        }
    }

    /// The only element of an int32 or int64 tensor as i64.
    ///
    /// Errors: `InvalidArgument` if there is not exactly one, or it is of another type.
    pub fn to_i64(&self) -> Result<i64> {
        match self.to_i64s()?.as_slice() {
            [x] => Ok(*x),
            _ => Err(invalid_argument(format!("expected a scalar, got a tensor of shape {}", self.shape))),
        }
    }

    /// The memory of a plain tensor: little-endian, row-major.
    ///
    /// Errors: `Internal` for strings, resources and variants.
    pub fn bytes(&self) -> Result<&[u8]> {
        match &self.data {
            Data::Plain { buffer, offset } => {
                buffer.as_slice().get(*offset..*offset + self.num_bytes()).ok_or_else(|| internal("a tensor is longer than its buffer"))
            }
            _ => Err(internal(format!("{} elements are not plain memory", self.dtype))),
        }
    }

    /// The memory of a plain tensor to write, whatever its type; see [`Tensor::as_mut_slice`]. A bool must be left 0 or 1.
    ///
    /// Errors: `Internal` for other types, or if the memory is shared.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        let len = self.num_bytes();
        match &mut self.data {
            Data::Plain { buffer, offset } => {
                let offset = *offset;
                let memory = buffer.get_mut().ok_or_else(|| internal("the tensor's memory is shared"))?;
                memory.get_mut(offset..offset + len).ok_or_else(|| internal("a tensor is longer than its buffer"))
            }
            _ => Err(internal(format!("{} elements are not plain memory", self.dtype))),
        }
    }

    /// The memory of a plain tensor as `Bytes`, without a copy.
    ///
    /// Errors: `Internal` for strings, resources and variants.
    pub fn shared_bytes(&self) -> Result<Bytes> {
        match &self.data {
            Data::Plain { buffer, offset } => Ok(buffer.clone().into_bytes().slice(*offset..*offset + self.num_bytes())),
            _ => Err(internal(format!("{} elements are not plain memory", self.dtype))),
        }
    }

    /// Whether nobody else holds its memory, so that it may be overwritten in place.
    pub fn is_unique(&self) -> bool {
        match &self.data {
            Data::Plain { buffer, .. } => buffer.is_unique(),
            Data::Strings(s) => Arc::strong_count(s) == 1,
            Data::Resources(r) => Arc::strong_count(r) == 1,
            Data::Variants(v) => Arc::strong_count(v) == 1,
        }
    }

    /// The same elements under another shape, sharing memory.
    ///
    /// Errors: `InvalidArgument` if the numbers of elements differ.
    pub fn reshaped(mut self, shape: Shape) -> Result<Tensor> {
        if shape.num_elements() != self.num_elements() {
            return Err(invalid_argument(format!(
                "Input to reshape is a tensor with {} values, but the requested shape has {}",
                self.num_elements(),
                shape.num_elements()
            )));
        }
        self.shape = shape;
        Ok(self)
    }

    /// The same memory read as another plain type of equal size (TF: `Bitcast`).
    ///
    /// Errors: `InvalidArgument` if the sizes differ or bool is asked for.
    pub fn reinterpreted(mut self, dtype: DType) -> Result<Tensor> {
        if !dtype.is_plain() || dtype.size() != self.dtype.size() || dtype == DType::Bool && self.dtype != DType::Bool {
            return Err(invalid_argument(format!("cannot reinterpret {} as {dtype}", self.dtype)));
        }
        self.dtype = dtype;
        Ok(self)
    }

    /// Rows `start..start + len` of the first dimension; plain tensors share memory.
    ///
    /// Errors: `InvalidArgument` for a scalar or rows outside the tensor.
    pub fn rows(&self, start: usize, len: usize) -> Result<Tensor> {
        let dims = self.dims();
        let end = start.checked_add(len);
        if dims.is_empty() || end.is_none_or(|e| e > dims[0] as usize) {
            return Err(invalid_argument(format!("rows {start}..+{len} are outside a tensor of shape {}", self.shape)));
        }
        let mut new_dims: smallvec::SmallVec<[i64; 8]> = dims.iter().copied().collect();
        new_dims[0] = len as i64;
        let row: usize = dims[1..].iter().product::<i64>() as usize;
        let shape = Shape::new(&new_dims)?;
        let range = start * row..(start + len) * row;
        let data = match &self.data {
            Data::Plain { buffer, offset } => Data::Plain { buffer: buffer.clone(), offset: offset + range.start * self.dtype.size() },
            Data::Strings(s) => Data::Strings(Arc::new(s[range].to_vec())),
            Data::Resources(r) => Data::Resources(Arc::new(r[range].to_vec())),
            Data::Variants(v) => Data::Variants(Arc::new(v[range].to_vec())),
        };
        Ok(Tensor { dtype: self.dtype, shape, data })
    }

    /// A copy that shares nothing.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub fn deep_copy(&self) -> Result<Tensor> {
        let data = match &self.data {
            Data::Plain { .. } => return Tensor::from_bytes(self.dtype, self.shape.clone(), self.bytes()?),
            Data::Strings(s) => Data::Strings(Arc::new(s.to_vec())),
            Data::Resources(r) => Data::Resources(Arc::new(r.to_vec())),
            Data::Variants(v) => Data::Variants(Arc::new(v.to_vec())),
        };
        Ok(Tensor { dtype: self.dtype, shape: self.shape.clone(), data })
    }
}

fn no_memory(dtype: DType, shape: &Shape) -> Error {
    resource_exhausted(format!("OOM when allocating tensor with shape{shape} and type {dtype}"))
}

fn wrong_type(have: DType, want: DType) -> Error {
    invalid_argument(format!("expected a {want} tensor, got {have}"))
}

fn check_count(shape: &Shape, n: usize) -> Result<()> {
    if shape.num_elements() == n {
        return Ok(());
    }
    Err(invalid_argument(format!("{n} elements do not make a tensor of shape {shape}")))
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        write!(f, "{}{}", self.dtype, self.shape)?;
        macro_rules! elements {
            ($($ty:ty),*) => {
                $(if let Ok(s) = self.as_slice::<$ty>() {
                    f.debug_list().entries(s.iter().take(SHOWN)).finish()?;
                })*
            };
        }
        elements!(f32, f64, i32, i64, u8, bool, half::f16, half::bf16, i8, i16, u16, u32, u64);
        if let Ok(s) = self.as_strings() {
            f.debug_list().entries(s.iter().take(SHOWN)).finish()?;
        }
        if self.num_elements() > SHOWN { f.write_str("…") } else { Ok(()) }
    }
}

impl<T: Element> From<T> for Tensor {
    fn from(value: T) -> Tensor {
        Tensor::scalar(value)
    }
}

impl From<&str> for Tensor {
    fn from(value: &str) -> Tensor {
        Tensor::string(value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_is_copied_on_write_only_while_shared() {
        let mut a = Tensor::vector(&[1f32, 2.0, 3.0]).unwrap();
        let b = a.clone();
        assert!(a.as_mut_slice::<f32>().is_err());
        a.make_mut::<f32>().unwrap()[0] = 9.0;
        assert_eq!(a.as_slice::<f32>().unwrap(), [9.0, 2.0, 3.0]);
        assert_eq!(b.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0]);
        assert!(b.is_unique());
    }

    #[test]
    fn rows_share_memory() {
        let t = Tensor::from_slice(Shape::new(&[3, 2]).unwrap(), &[0i64, 1, 2, 3, 4, 5]).unwrap();
        let r = t.rows(1, 2).unwrap();
        assert_eq!(r.as_slice::<i64>().unwrap(), [2, 3, 4, 5]);
        assert!(!t.is_unique());
        assert!(t.rows(2, 2).is_err());
    }

    #[test]
    fn bools_from_memory_are_zero_or_one() {
        let t = Tensor::from_bytes(DType::Bool, Shape::new(&[3]).unwrap(), &[0, 2, 1]).unwrap();
        assert_eq!(t.bytes().unwrap(), [0, 1, 1]);
    }

    #[test]
    fn a_size_beyond_memory_is_refused() {
        let shape = Shape::new(&[1 << 40, 1 << 10]).unwrap();
        assert_eq!(Tensor::zeros(DType::Float, shape).unwrap_err().code(), crate::Code::ResourceExhausted);
    }

    #[test]
    fn the_wrong_type_is_an_error() {
        assert!(Tensor::scalar(1f32).as_slice::<i32>().is_err());
        assert!(Tensor::string("a").bytes().is_err());
    }
}
