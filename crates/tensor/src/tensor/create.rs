//! Making tensors: from values, from memory, or to be filled.

use super::{Data, SMALL, Tensor, Words};
use crate::buffer::Buffer;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, internal, invalid_argument, resource_exhausted};
use crate::handle::{ResourceHandle, Variant};
use crate::shape::Shape;
use bytes::Bytes;
use std::sync::Arc;

fn bytes_needed(dtype: DType, shape: &Shape) -> Result<usize> {
    shape
        .num_elements()
        .checked_mul(dtype.size())
        .filter(|&n| n <= isize::MAX as usize / 2)
        .ok_or_else(|| resource_exhausted(format!("a {dtype} tensor of shape {shape} is larger than memory can be")))
}

/// More than this at once is refused before the system is asked: a lazily backed allocation would succeed and then kill the process.
fn check_memory(bytes: usize, dtype: DType, shape: &Shape) -> Result<()> {
    if !crate::memory::has_room(bytes) {
        return Err(resource_exhausted(format!("OOM when allocating tensor with shape{shape} and type {dtype}: {bytes} bytes")));
    }
    Ok(())
}

fn no_memory(dtype: DType, shape: &Shape) -> Error {
    resource_exhausted(format!("OOM when allocating tensor with shape{shape} and type {dtype}"))
}

fn check_count(shape: &Shape, n: usize) -> Result<()> {
    if shape.num_elements() == n {
        return Ok(());
    }
    Err(invalid_argument(format!("{n} elements do not make a tensor of shape {shape}")))
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
            _ => match bytes_needed(dtype, &shape)? {
                ..=SMALL => Data::Small(Words::default()),
                len => {
                    check_memory(len, dtype, &shape)?;
                    Data::Plain { buffer: Buffer::zeroed(len).ok_or_else(|| no_memory(dtype, &shape))?, offset: 0 }
                }
            },
        };
        Ok(Tensor::new(dtype, shape, data))
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
        if len <= SMALL {
            return Ok(Tensor::new(dtype, shape, Data::Small(Words::default())));
        }
        check_memory(len, dtype, &shape)?;
        let buffer = Buffer::recycled(len).ok_or_else(|| no_memory(dtype, &shape))?;
        Ok(Tensor::new(dtype, shape, Data::Plain { buffer, offset: 0 }))
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
    #[inline]
    pub fn scalar<T: Element>(value: T) -> Tensor {
        const { assert!(std::mem::size_of::<T>() <= SMALL && std::mem::align_of::<T>() <= std::mem::align_of::<Words>()) };
        let mut words = Words::default();
        // SAFETY: the words are as large as an element at least, and aligned for it.
        unsafe { words.0.as_mut_ptr().cast::<T>().write(value) };
        Tensor::new(T::DTYPE, Shape::scalar(), Data::Small(words))
    }

    /// A string tensor.
    ///
    /// Errors: `InvalidArgument` if the number of strings is not the shape's.
    pub fn strings(shape: Shape, elements: Vec<Bytes>) -> Result<Tensor> {
        check_count(&shape, elements.len())?;
        Ok(Tensor::new(DType::String, shape, Data::Strings(Arc::new(elements))))
    }

    /// A string scalar.
    pub fn string(value: impl Into<Bytes>) -> Tensor {
        Tensor::new(DType::String, Shape::scalar(), Data::Strings(Arc::new(vec![value.into()])))
    }

    /// A tensor of resource handles.
    ///
    /// Errors: `InvalidArgument` if the number of handles is not the shape's.
    pub fn resources(shape: Shape, elements: Vec<ResourceHandle>) -> Result<Tensor> {
        check_count(&shape, elements.len())?;
        Ok(Tensor::new(DType::Resource, shape, Data::Resources(Arc::new(elements))))
    }

    /// A scalar resource handle.
    pub fn resource(handle: ResourceHandle) -> Tensor {
        Tensor::new(DType::Resource, Shape::scalar(), Data::Resources(Arc::new(vec![handle])))
    }

    /// A tensor of variants.
    ///
    /// Errors: `InvalidArgument` if the number of elements is not the shape's.
    pub fn variants(shape: Shape, elements: Vec<Variant>) -> Result<Tensor> {
        check_count(&shape, elements.len())?;
        Ok(Tensor::new(DType::Variant, shape, Data::Variants(Arc::new(elements))))
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
            return Ok(Tensor::new(dtype, shape, Data::Plain { buffer, offset: 0 }));
        }
        Ok(Tensor::new(dtype, shape, Data::Plain { buffer, offset }))
    }

    /// A plain tensor of little-endian memory, copied.
    ///
    /// Errors: `InvalidArgument` if the number of bytes is not what the shape takes.
    pub fn from_bytes(dtype: DType, shape: Shape, bytes: &[u8]) -> Result<Tensor> {
        let need = bytes_needed(dtype, &shape)?;
        if need != bytes.len() || !dtype.is_plain() {
            return Err(invalid_argument(format!("{} bytes are not a {dtype} tensor of shape {shape}, which takes {need}", bytes.len())));
        }
        if need <= SMALL {
            let mut words = Words::default();
            words.0[..need].copy_from_slice(bytes);
            if dtype == DType::Bool {
                words.0.iter_mut().for_each(|b| *b = (*b != 0) as u8);
            }
            return Ok(Tensor::new(dtype, shape, Data::Small(words)));
        }
        let mut buffer = Buffer::recycled(need).ok_or_else(|| no_memory(dtype, &shape))?;
        if let Some(out) = buffer.get_mut() {
            out.copy_from_slice(bytes);
        }
        Tensor::from_buffer(dtype, shape, buffer, 0)
    }
}
