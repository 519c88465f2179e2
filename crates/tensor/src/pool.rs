//! The buffer pool: freed tensor memory is kept, because touching fresh pages costs more than the arithmetic
//! on them (a new 40 MB result spends four times as long in page faults as in the kernel that fills it).
//!
//! This is a memory allocator, and like one it is shared by the whole process: tensors are freed on any thread and
//! in any order, long after the session that made them. See `docs/decisions/0002-buffer-pool.md`.

use parking_lot::Mutex;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory starts at a multiple of this (TF: `Allocator::kAllocatorAlignment`).
pub(crate) const ALIGN: usize = 64;
/// Blocks below this size go straight to the system allocator, which is fast for them.
const SMALLEST_POOLED: usize = 32 << 10;
/// Blocks above this size are not kept.
const LARGEST_POOLED: usize = 1 << 30;
/// Each power of two is divided into this many classes, so that at most a quarter of a block is unused.
const STEPS: usize = 4;
const CLASSES: usize = 64 * STEPS;
/// Free bytes that the pool keeps at most.
const KEEP: usize = 1 << 30;

struct Block(NonNull<u8>);

// SAFETY: a free block is memory that nobody refers to.
unsafe impl Send for Block {}

/// The free blocks of one size.
struct Free {
    blocks: Vec<Block>,
    /// The fewest that there were since the last [`trim_memory`]: so many nobody has needed.
    fewest: usize,
}

struct Pool {
    free: [Mutex<Free>; CLASSES],
    kept: AtomicUsize,
}

static POOL: Pool = Pool { free: [const { Mutex::new(Free { blocks: Vec::new(), fewest: 0 }) }; CLASSES], kept: AtomicUsize::new(0) };

/// The class of a size and the size of that class's blocks.
fn class(size: usize) -> (usize, usize) {
    let power = usize::BITS as usize - 1 - (size - 1).leading_zeros() as usize;
    let base = 1usize << power;
    let step = base / STEPS;
    let k = (size - base).div_ceil(step);
    (power * STEPS + k, base + k * step)
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size, ALIGN).ok()
}

/// Memory of at least `size` bytes and what its capacity is, or `None` if there is none. Its bytes are initialised: zeros
/// when new (which costs nothing for fresh pages), old contents when used again.
pub(crate) fn allocate(size: usize) -> Option<(NonNull<u8>, usize)> {
    let size = size.max(1);
    if !(SMALLEST_POOLED..=LARGEST_POOLED).contains(&size) {
        // SAFETY: the size is not zero.
        return NonNull::new(unsafe { alloc_zeroed(layout(size)?) }).map(|p| (p, size));
    }
    let (class, capacity) = class(size);
    let mut free = POOL.free[class].lock();
    if let Some(block) = free.blocks.pop() {
        free.fewest = free.fewest.min(free.blocks.len());
        drop(free);
        POOL.kept.fetch_sub(capacity, Ordering::Relaxed);
        return Some((block.0, capacity));
    }
    drop(free);
    // SAFETY: the capacity is not zero.
    NonNull::new(unsafe { alloc_zeroed(layout(capacity)?) }).map(|p| (p, capacity))
}

/// Gives memory back.
///
/// # Safety
/// `p` came from [`allocate`] with this capacity, and nobody uses it any more.
pub(crate) unsafe fn release(p: NonNull<u8>, capacity: usize) {
    if (SMALLEST_POOLED..=LARGEST_POOLED).contains(&capacity) && POOL.kept.fetch_add(capacity, Ordering::Relaxed) + capacity <= KEEP {
        POOL.free[class(capacity).0].lock().blocks.push(Block(p));
        return;
    } else if (SMALLEST_POOLED..=LARGEST_POOLED).contains(&capacity) {
        POOL.kept.fetch_sub(capacity, Ordering::Relaxed);
    }
    if let Some(layout) = layout(capacity) {
        // SAFETY: allocated above with the same layout.
        unsafe { dealloc(p.as_ptr(), layout) }
    }
}

/// Gives back to the system what nobody has needed since the last call: of every size the blocks that were free all the time.
/// A server calls it every few seconds, so that a burst of large tensors does not occupy memory for ever. Returns the bytes given back.
pub fn trim_memory() -> usize {
    let mut given = 0;
    for (class, free) in POOL.free.iter().enumerate() {
        let mut free = free.lock();
        let unneeded = free.fewest.min(free.blocks.len());
        // The oldest are at the beginning.
        let blocks: Vec<Block> = free.blocks.drain(..unneeded).collect();
        free.fewest = free.blocks.len();
        drop(free);
        let capacity = capacity_of(class);
        for block in blocks {
            POOL.kept.fetch_sub(capacity, Ordering::Relaxed);
            given += capacity;
            if let Some(layout) = layout(capacity) {
                // SAFETY: a free block of this class, allocated with this layout.
                unsafe { dealloc(block.0.as_ptr(), layout) }
            }
        }
    }
    given
}

/// The size of the blocks of a class. A class that no size has is empty.
fn capacity_of(class: usize) -> usize {
    let base = 1usize.checked_shl((class / STEPS) as u32).unwrap_or(0);
    base + class % STEPS * (base / STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_its_size_and_wastes_at_most_a_quarter() {
        for size in [SMALLEST_POOLED, 40_000, 65_535, 65_536, 65_537, 1_000_000, LARGEST_POOLED] {
            let (c, capacity) = class(size);
            assert!(capacity >= size && capacity - size <= size / 4, "{size} -> {capacity}");
            assert_eq!(class(capacity), (c, capacity), "a block goes back to the class it came from");
        }
    }

    #[test]
    fn what_was_free_all_the_time_is_given_back() {
        // Odd sizes that no other test uses.
        let sizes = [1_234_567, 2_345_678];
        let held: Vec<_> = sizes.iter().map(|&size| allocate(size).unwrap()).collect();
        for (p, capacity) in held {
            unsafe { release(p, capacity) };
        }
        let free = |k: usize| POOL.free[class(sizes[k]).0].lock().blocks.len();
        trim_memory();
        assert_eq!((free(0), free(1)), (1, 1), "they were not free all the time since the call before");
        let (p, capacity) = allocate(sizes[0]).unwrap();
        unsafe { release(p, capacity) };
        assert!(trim_memory() >= class(sizes[1]).1);
        assert_eq!((free(0), free(1)), (1, 0));
    }

    #[test]
    fn classes_know_their_size() {
        for size in [SMALLEST_POOLED, 40_000, 65_537, 1_000_000, LARGEST_POOLED] {
            let (c, capacity) = class(size);
            assert_eq!(capacity_of(c), capacity, "{size}");
        }
    }

    #[test]
    fn a_freed_block_is_used_again() {
        // An odd size that no other test uses, so that the class is this test's own.
        let size = 777 << 10;
        let (a, capacity) = allocate(size).unwrap();
        unsafe { release(a, capacity) };
        let (b, _) = allocate(size).unwrap();
        assert_eq!(a, b);
        unsafe { release(b, capacity) };
    }
}
