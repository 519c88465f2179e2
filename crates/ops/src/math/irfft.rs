//! `IRFFT`: real numbers by the half of their discrete Fourier transform along the last dimension.

use super::fourier::{irfft, real_shape};
use super::real_fourier_gradients::inverse_gradient;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IRFFT(input: Tcomplex, fft_length: int32) -> (output: Treal)",
    attrs: "Treal: type in {float, double} = float; Tcomplex: type in {complex64, complex128} = complex64",
    doc: "The real numbers whose discrete Fourier transform along the last dimension is given by its half; `fft_length` says how many.",
    shape: |c| real_shape::<1>(c, false),
    gradient: Gradient::Of(inverse_gradient::<1>),
    kernels: &[Kernel::cpu(irfft::<1>).on("Treal", WIDE_FLOATS).heavy()],
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};
