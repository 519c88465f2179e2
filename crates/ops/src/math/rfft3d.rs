//! `RFFT3D`: the discrete Fourier transform of real numbers along the last three dimensions.

use super::fourier::{real_shape, rfft};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RFFT3D(input: Treal, fft_length: int32) -> (output: Tcomplex)",
    attrs: "Treal: type in {float, double} = float; Tcomplex: type in {complex64, complex128} = complex64",
    doc: "The discrete Fourier transform of `fft_length` real numbers along the last three dimensions: the half of it that the other follows from.",
    shape: |c| real_shape::<3>(c, true),
    kernels: &[Kernel::cpu(rfft::<3>).on("Treal", WIDE_FLOATS).heavy()],
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};
