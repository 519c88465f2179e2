//! `IRFFT3D`: real numbers by the half of their discrete Fourier transform along the last three dimensions.

use super::fourier::{irfft, real_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IRFFT3D(input: Tcomplex, fft_length: int32) -> (output: Treal)",
    attrs: "Treal: type in {float, double} = float; Tcomplex: type in {complex64, complex128} = complex64",
    doc: "The real numbers whose discrete Fourier transform along the last three dimensions is given by its half; `fft_length` says how many.",
    shape: |c| real_shape::<3>(c, false),
    kernels: &[Kernel::cpu(irfft::<3>).on("Treal", WIDE_FLOATS).heavy()],
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};
