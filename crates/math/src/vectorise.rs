//! Compiling a loop twice: for the baseline of the target and for AVX2 with FMA, chosen when it runs.

/// Calls `kernel(args)`, compiled for AVX2 and FMA where this CPU has them. `kernel` must be a function item marked
/// `#[inline(always)]` (a closure may stay outside and lose the wider instructions).
#[inline(always)]
pub(crate) fn vectorised<A, R>(args: A, kernel: impl Fn(A) -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[target_feature(enable = "avx2,fma")]
        fn wide<A, R>(args: A, kernel: impl Fn(A) -> R) -> R {
            kernel(args)
        }
        // SAFETY: the features that `wide` needs were just found on this CPU.
        return unsafe { wide(args, kernel) };
    }
    kernel(args)
}
