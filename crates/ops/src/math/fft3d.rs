//! `FFT3D`: the discrete Fourier transform along the last three dimensions.

use super::fourier::{Direction, fft, gradient};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FFT3D(input: Tcomplex) -> (output: Tcomplex)",
    attrs: "Tcomplex: type in {complex64, complex128} = complex64",
    doc: "The discrete Fourier transform of the input along the last three dimensions.",
    shape: shape::unchanged_with_rank_at_least::<3>,
    gradient: Gradient::Of(|op, grads| gradient::<3>(op, grads, "IFFT3D", false)),
    kernels: &[Kernel::cpu(|ctx| fft::<3>(ctx, Direction::Forward)).on("Tcomplex", COMPLEX).heavy()],
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};
