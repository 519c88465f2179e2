//! `Buffer`: shared, 64-byte aligned memory of a tensor in one allocation (TF: `TensorBuffer`).
//!
//! The count of owners sits in front of the data. The memory can be written only while there is exactly one owner,
//! which is what lets kernels forward an input in place and variables be updated in place without locks around readers.

use crate::pool;
use bytes::Bytes;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// In front of the data; one cache line, so that the data stay aligned.
#[repr(C, align(64))]
struct Header {
    owners: AtomicUsize,
    /// Bytes of the whole allocation.
    capacity: usize,
    /// Bytes of data.
    len: usize,
}

const HEADER: usize = std::mem::size_of::<Header>();

/// Shared memory. Cloning shares; writing needs [`Buffer::get_mut`], which succeeds for the only owner.
pub struct Buffer(NonNull<Header>);

// SAFETY: the memory is plain bytes; it is written only through the only owner.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of `len` bytes of arbitrary (but initialised) contents, or `None` if there is no memory for it.
    #[inline]
    pub fn recycled(len: usize) -> Option<Buffer> {
        let (p, capacity) = pool::allocate(len.checked_add(HEADER)?)?;
        let header = p.cast::<Header>();
        // SAFETY: fresh memory, large and aligned enough for a header.
        unsafe { header.write(Header { owners: AtomicUsize::new(1), capacity, len }) };
        Some(Buffer(header))
    }

    /// A buffer of zeros, or `None` if there is no memory for it.
    #[inline]
    pub fn zeroed(len: usize) -> Option<Buffer> {
        let buffer = Buffer::recycled(len)?;
        // SAFETY: `len` bytes behind the header are ours.
        unsafe { buffer.data().write_bytes(0, len) };
        Some(buffer)
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: alive as long as an owner is.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    fn data(&self) -> *mut u8 {
        // SAFETY: the allocation holds the header and the data behind it.
        unsafe { self.0.as_ptr().cast::<u8>().add(HEADER) }
    }

    /// Bytes of data.
    #[inline]
    pub fn len(&self) -> usize {
        self.header().len
    }

    /// Whether it holds no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the pool's memory is initialised, and it is not written while shared.
        unsafe { std::slice::from_raw_parts(self.data(), self.len()) }
    }

    /// Whether this is the only owner.
    #[inline]
    pub fn is_unique(&self) -> bool {
        self.header().owners.load(Ordering::Acquire) == 1
    }

    /// The bytes to write, if this is the only owner.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut [u8]> {
        // SAFETY: the only owner, borrowed exclusively.
        self.is_unique().then(|| unsafe { std::slice::from_raw_parts_mut(self.data(), self.len()) })
    }

    /// The bytes as `Bytes` without a copy: the memory lives until the last of them is dropped.
    #[inline]
    pub fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Buffer {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl Clone for Buffer {
    #[inline]
    fn clone(&self) -> Buffer {
        self.header().owners.fetch_add(1, Ordering::Relaxed);
        Buffer(self.0)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.header().owners.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            let capacity = self.header().capacity;
            // SAFETY: the last owner; the memory came from the pool with this capacity.
            unsafe { pool::release(self.0.cast(), capacity) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_only_owner_may_write() {
        let mut a = Buffer::zeroed(10).unwrap();
        a.get_mut().unwrap()[3] = 7;
        let b = a.clone();
        assert!(a.get_mut().is_none());
        assert_eq!(b.as_slice()[3], 7);
        drop(b);
        assert!(a.get_mut().is_some());
    }

    #[test]
    fn bytes_keep_the_memory_alive() {
        let mut a = Buffer::zeroed(4).unwrap();
        a.get_mut().unwrap().copy_from_slice(&[1, 2, 3, 4]);
        let bytes = a.clone().into_bytes();
        assert!(!a.is_unique());
        drop(a);
        assert_eq!(&bytes[..], [1, 2, 3, 4]);
    }

    #[test]
    fn data_are_aligned() {
        for len in [0, 1, 100_000] {
            assert_eq!(Buffer::zeroed(len).unwrap().as_slice().as_ptr() as usize % 64, 0);
        }
    }
}
