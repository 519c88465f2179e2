//! `Tensor`: dtype, shape and a shared buffer (TF: `Tensor`). Cloning shares the elements.
//!
//! A tensor is one pointer wide, because it is moved many times on its way from kernel to kernel: what it points to holds the shape,
//! and the elements too if they are few. See `docs/decisions/0010-tensor-one-pointer.md`.

mod create;
mod view;

use crate::buffer::Buffer;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, internal, invalid_argument};
use crate::handle::{ResourceHandle, Variant};
use crate::shape::Shape;
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// An n-dimensional array. Elements are row-major and little-endian in memory.
#[derive(Clone)]
pub struct Tensor(triomphe::Arc<Contents>);

#[derive(Clone)]
struct Contents {
    dtype: DType,
    shape: Shape,
    data: Data,
}

/// Plain elements of at most so many bytes lie in [`Data::Small`].
const SMALL: usize = 16;

#[derive(Clone)]
enum Data {
    /// The elements: most tensors of most graphs are counters, rates, axes and losses.
    Small(Words),
    /// Plain memory: `offset` bytes into a buffer that other tensors may share.
    Plain {
        buffer: Buffer,
        offset: usize,
    },
    Strings(Arc<Vec<Bytes>>),
    Resources(Arc<Vec<ResourceHandle>>),
    Variants(Arc<Vec<Variant>>),
}

/// Memory for small tensors, aligned for every element type.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
struct Words([u8; SMALL]);

impl Tensor {
    fn new(dtype: DType, shape: Shape, data: Data) -> Tensor {
        Tensor(triomphe::Arc::new(Contents { dtype, shape, data }))
    }

    /// The contents to change, copied first if others share them; their elements stay shared, but for small ones.
    fn own(&mut self) -> &mut Contents {
        triomphe::Arc::make_mut(&mut self.0)
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.0.shape
    }

    /// The dimensions.
    #[inline]
    pub fn dims(&self) -> &[i64] {
        self.0.shape.dims()
    }

    /// The number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.0.shape.rank()
    }

    /// The number of elements.
    #[inline]
    pub fn num_elements(&self) -> usize {
        self.0.shape.num_elements()
    }

    /// Bytes that the elements take; for strings the sum of their lengths.
    #[inline]
    pub fn num_bytes(&self) -> usize {
        match &self.0.data {
            Data::Small(_) | Data::Plain { .. } => self.num_elements() * self.dtype().size(),
            Data::Strings(s) => s.iter().map(|s| s.len()).sum(),
            Data::Resources(_) | Data::Variants(_) => 0,
        }
    }

    /// The elements.
    ///
    /// Errors: `InvalidArgument` if the tensor is of another type.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        let n = self.num_elements();
        match &self.0.data {
            // SAFETY: it holds n elements (checked when made), and is aligned for every type.
            Data::Small(words) if self.dtype() == T::DTYPE => Ok(unsafe { std::slice::from_raw_parts(words.0.as_ptr().cast::<T>(), n) }),
            Data::Plain { buffer, offset } if self.dtype() == T::DTYPE => {
                // SAFETY: the buffer holds n elements from `offset` on (checked when made), aligned for T.
                Ok(unsafe { std::slice::from_raw_parts(buffer.as_slice().as_ptr().add(*offset).cast::<T>(), n) })
            }
            _ => Err(wrong_type(self.dtype(), T::DTYPE)),
        }
    }

    /// The elements to write. Only for a tensor whose memory nobody else holds, such as one just made.
    ///
    /// Errors: `InvalidArgument` if the tensor is of another type; `Internal` if its memory is shared.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let (n, dtype) = (self.num_elements(), self.dtype());
        match &mut self.exclusive()?.data {
            // SAFETY: as in `as_slice`, and we are the only owner.
            Data::Small(words) if dtype == T::DTYPE => Ok(unsafe { std::slice::from_raw_parts_mut(words.0.as_mut_ptr().cast::<T>(), n) }),
            Data::Plain { buffer, offset } if dtype == T::DTYPE => {
                let offset = *offset;
                let memory = buffer.get_mut().ok_or_else(shared)?;
                // SAFETY: as in `as_slice`, and we are the only owner.
                Ok(unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().add(offset).cast::<T>(), n) })
            }
            _ => Err(wrong_type(dtype, T::DTYPE)),
        }
    }

    /// The contents, if nobody else holds them.
    fn exclusive(&mut self) -> Result<&mut Contents> {
        triomphe::Arc::get_mut(&mut self.0).ok_or_else(shared)
    }

    /// The elements to write, copied first if others share them (copy on write).
    ///
    /// Errors: as [`Tensor::as_mut_slice`], and `ResourceExhausted`.
    pub fn make_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        if !self.is_unique() {
            *self = Tensor::from_slice(self.shape().clone(), self.as_slice::<T>()?)?;
        }
        self.as_mut_slice()
    }

    /// The strings.
    ///
    /// Errors: `InvalidArgument` if it is not a string tensor.
    #[inline]
    pub fn as_strings(&self) -> Result<&[Bytes]> {
        match &self.0.data {
            Data::Strings(s) => Ok(s),
            _ => Err(wrong_type(self.dtype(), DType::String)),
        }
    }

    /// The strings to write, copied first if others share them.
    ///
    /// Errors: `InvalidArgument` if it is not a string tensor.
    #[inline]
    pub fn make_mut_strings(&mut self) -> Result<&mut Vec<Bytes>> {
        let dtype = self.dtype();
        match &mut self.own().data {
            Data::Strings(s) => Ok(Arc::make_mut(s)),
            _ => Err(wrong_type(dtype, DType::String)),
        }
    }

    /// The resource handles.
    ///
    /// Errors: `InvalidArgument` if it is not a resource tensor.
    #[inline]
    pub fn as_resources(&self) -> Result<&[ResourceHandle]> {
        match &self.0.data {
            Data::Resources(r) => Ok(r),
            _ => Err(wrong_type(self.dtype(), DType::Resource)),
        }
    }

    /// The variants.
    ///
    /// Errors: `InvalidArgument` if it is not a variant tensor.
    #[inline]
    pub fn as_variants(&self) -> Result<&[Variant]> {
        match &self.0.data {
            Data::Variants(v) => Ok(v),
            _ => Err(wrong_type(self.dtype(), DType::Variant)),
        }
    }

    /// The variants to write, copied first if others share them; what a variant holds stays shared.
    ///
    /// Errors: `InvalidArgument` if it is not a variant tensor.
    pub fn make_mut_variants(&mut self) -> Result<&mut Vec<Variant>> {
        let dtype = self.dtype();
        match &mut self.own().data {
            Data::Variants(v) => Ok(Arc::make_mut(v)),
            _ => Err(wrong_type(dtype, DType::Variant)),
        }
    }

    /// The only element.
    ///
    /// Errors: `InvalidArgument` if there is not exactly one, or it is of another type.
    pub fn to_scalar<T: Element>(&self) -> Result<T> {
        match self.as_slice::<T>()? {
            [x] => Ok(*x),
            _ => Err(invalid_argument(format!("expected a scalar, got a tensor of shape {}", self.shape()))),
        }
    }

    /// The elements of an int32 or int64 tensor as i64, such as those of a shape or an axis argument.
    ///
    /// Errors: `InvalidArgument` for other types.
    pub fn to_i64s(&self) -> Result<smallvec::SmallVec<[i64; 8]>> {
        match self.dtype() {
            DType::Int32 => Ok(self.as_slice::<i32>()?.iter().map(|&x| x as i64).collect()),
            DType::Int64 => Ok(self.as_slice::<i64>()?.iter().copied().collect()),
            DType::Int16 => Ok(self.as_slice::<i16>()?.iter().map(|&x| x as i64).collect()),
            other => Err(invalid_argument(format!("expected int32 or int64, got {other}"))),
        }
    }

    /// The only element of an int32 or int64 tensor as i64.
    ///
    /// Errors: `InvalidArgument` if there is not exactly one, or it is of another type.
    #[inline]
    pub fn to_i64(&self) -> Result<i64> {
        match self.to_i64s()?.as_slice() {
            [x] => Ok(*x),
            _ => Err(invalid_argument(format!("expected a scalar, got a tensor of shape {}", self.shape()))),
        }
    }

    /// The memory of a plain tensor: little-endian, row-major.
    ///
    /// Errors: `Internal` for strings, resources and variants.
    pub fn bytes(&self) -> Result<&[u8]> {
        match &self.0.data {
            Data::Small(words) => words.0.get(..self.num_bytes()).ok_or_else(too_long),
            Data::Plain { buffer, offset } => buffer.as_slice().get(*offset..*offset + self.num_bytes()).ok_or_else(too_long),
            _ => Err(not_plain(self.dtype())),
        }
    }

    /// The memory of a plain tensor to write, whatever its type; see [`Tensor::as_mut_slice`]. A bool must be left 0 or 1.
    ///
    /// Errors: `Internal` for other types, or if the memory is shared.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        let (len, dtype) = (self.num_bytes(), self.dtype());
        match &mut self.exclusive()?.data {
            Data::Small(words) => words.0.get_mut(..len).ok_or_else(too_long),
            Data::Plain { buffer, offset } => {
                let offset = *offset;
                buffer.get_mut().ok_or_else(shared)?.get_mut(offset..offset + len).ok_or_else(too_long)
            }
            _ => Err(not_plain(dtype)),
        }
    }

    /// The memory of a plain tensor as `Bytes`, without a copy unless it is a few bytes.
    ///
    /// Errors: `Internal` for strings, resources and variants.
    #[inline]
    pub fn shared_bytes(&self) -> Result<Bytes> {
        match &self.0.data {
            Data::Plain { buffer, offset } => Ok(buffer.clone().into_bytes().slice(*offset..*offset + self.num_bytes())),
            _ => self.bytes().map(Bytes::copy_from_slice),
        }
    }

    /// Whether nobody else holds its memory, so that it may be overwritten in place.
    pub fn is_unique(&self) -> bool {
        self.0.is_unique()
            && match &self.0.data {
                Data::Small(_) => true,
                Data::Plain { buffer, .. } => buffer.is_unique(),
                Data::Strings(s) => Arc::strong_count(s) == 1,
                Data::Resources(r) => Arc::strong_count(r) == 1,
                Data::Variants(v) => Arc::strong_count(v) == 1,
            }
    }
}

#[cold]
fn shared() -> Error {
    internal("the tensor's memory is shared")
}

#[cold]
fn too_long() -> Error {
    internal("a tensor is longer than its buffer")
}

#[cold]
fn not_plain(dtype: DType) -> Error {
    internal(format!("{dtype} elements are not plain memory"))
}

#[cold]
fn wrong_type(have: DType, want: DType) -> Error {
    invalid_argument(format!("expected a {want} tensor, got {have}"))
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        write!(f, "{}{}", self.dtype(), self.shape())?;
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
    #[inline]
    fn from(value: T) -> Tensor {
        Tensor::scalar(value)
    }
}

impl From<&str> for Tensor {
    #[inline]
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
