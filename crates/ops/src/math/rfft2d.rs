//! `RFFT2D`: the discrete Fourier transform of real numbers along the last two dimensions.

use super::fourier::{real_shape, rfft};
use super::real_fourier_gradients::real_gradient;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RFFT2D(input: Treal, fft_length: int32) -> (output: Tcomplex)",
    attrs: "Treal: type in {float, double} = float; Tcomplex: type in {complex64, complex128} = complex64",
    doc: "The discrete Fourier transform of `fft_length` real numbers along the last two dimensions: the half of it that the other follows from.",
    shape: |c| real_shape::<2>(c, true),
    gradient: Gradient::Of(real_gradient::<2>),
    kernels: &[Kernel::cpu(rfft::<2>).on("Treal", WIDE_FLOATS).heavy()],
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};
