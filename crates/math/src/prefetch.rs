//! Asking for memory before it is needed: rows of a large table that are picked at random are seldom in a cache.

/// How many rows ahead a loop over rows should ask.
pub const ROWS_AHEAD: usize = 6;

/// Tells the processor that these elements will be read or written soon. Does nothing but that, and nothing at all where the
/// processor has no such instruction.
#[inline]
pub fn prefetch<T>(elements: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        const LINE: usize = 64;
        let start = elements.as_ptr().cast::<i8>();
        for offset in (0..std::mem::size_of_val(elements)).step_by(LINE) {
            // SAFETY: a prefetch reads nothing, and the address is inside the slice.
            unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(start.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = elements;
}
