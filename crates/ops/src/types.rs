//! Lists of element types for `Kernel::on`, and the macros that turn an element type at run time into a Rust type.
//!
//! Each list has a macro that covers exactly its types: `NUMERIC` and `with_numeric!`, …

#![allow(dead_code, reason = "the lists are a set; not every one has a user at every moment")]

use ferroflow_tensor::error::unimplemented;
use ferroflow_tensor::{DType, Error};

/// half, bfloat16, float, double.
pub(crate) const FLOATS: &[DType] = &[DType::Half, DType::BFloat16, DType::Float, DType::Double];
/// float, double.
pub(crate) const WIDE_FLOATS: &[DType] = &[DType::Float, DType::Double];
/// Signed and unsigned integers of 8 to 64 bits.
pub(crate) const INTEGERS: &[DType] =
    &[DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64];
/// int8, int16, int32, int64.
pub(crate) const SIGNED: &[DType] = &[DType::Int8, DType::Int16, DType::Int32, DType::Int64];
/// [`FLOATS`] and [`INTEGERS`] (TF: `TF_CALL_REAL_NUMBER_TYPES`).
pub(crate) const REAL: &[DType] = &[
    DType::Half,
    DType::BFloat16,
    DType::Float,
    DType::Double,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
];
/// complex64, complex128.
pub(crate) const COMPLEX: &[DType] = &[DType::Complex64, DType::Complex128];
/// [`REAL`] and [`COMPLEX`] (TF: `TF_CALL_NUMBER_TYPES`).
pub(crate) const NUMERIC: &[DType] = &[
    DType::Half,
    DType::BFloat16,
    DType::Float,
    DType::Double,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Complex64,
    DType::Complex128,
];
/// [`NUMERIC`] and bool: all types whose elements are Rust values of plain memory.
pub(crate) const NUMERIC_AND_BOOL: &[DType] = &[
    DType::Half,
    DType::BFloat16,
    DType::Float,
    DType::Double,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Complex64,
    DType::Complex128,
    DType::Bool,
];
/// [`FLOATS`] and [`COMPLEX`].
pub(crate) const FLOATS_AND_COMPLEX: &[DType] =
    &[DType::Half, DType::BFloat16, DType::Float, DType::Double, DType::Complex64, DType::Complex128];
/// int32, int64: the types of indices.
pub(crate) const INDEX: &[DType] = &[DType::Int32, DType::Int64];

/// The error for an element type that a kernel has no code for.
pub(crate) fn unsupported(op: &str, dtype: DType) -> Error {
    unimplemented(format!("{op} has no CPU kernel for {dtype}"))
}

/// `with_float!(dtype => T, { body::<T>() }, else { other })` for half, bfloat16, float, double.
#[allow(unused_macros)]
macro_rules! with_float {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!($dtype, [half::f16, half::bf16, f32, f64] => $t, $body, else $other)
    };
}

/// As `with_float!`, for signed and unsigned integers of 8 to 64 bits.
#[allow(unused_macros)]
macro_rules! with_integer {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!($dtype, [i8, i16, i32, i64, u8, u16, u32, u64] => $t, $body, else $other)
    };
}

/// As `with_float!`, for floats and integers.
#[allow(unused_macros)]
macro_rules! with_real {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!(
            $dtype, [half::f16, half::bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64] => $t, $body, else $other
        )
    };
}

/// As `with_float!`, for floats, integers and complex numbers.
#[allow(unused_macros)]
macro_rules! with_numeric {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!(
            $dtype,
            [
                half::f16, half::bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64,
                num_complex::Complex<f32>, num_complex::Complex<f64>
            ] => $t, $body, else $other
        )
    };
}

/// As `with_float!`, for floats, integers, complex numbers and bool.
#[allow(unused_macros)]
macro_rules! with_numeric_or_bool {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!(
            $dtype,
            [
                half::f16, half::bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64,
                num_complex::Complex<f32>, num_complex::Complex<f64>, bool
            ] => $t, $body, else $other
        )
    };
}

/// As `with_float!`, for int32 and int64.
#[allow(unused_macros)]
macro_rules! with_index {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!($dtype, [i32, i64] => $t, $body, else $other)
    };
}

#[allow(unused_imports)]
pub(crate) use {with_float, with_index, with_integer, with_numeric, with_numeric_or_bool, with_real};

#[cfg(test)]
mod tests {
    use super::*;

    fn served_by_numeric(dtype: DType) -> bool {
        with_numeric!(dtype => T, { std::mem::size_of::<T>() == dtype.size() }, else { false })
    }

    fn served_by_real(dtype: DType) -> bool {
        with_real!(dtype => T, { std::mem::size_of::<T>() == dtype.size() }, else { false })
    }

    #[test]
    fn lists_and_macros_cover_the_same_types() {
        for &dtype in DType::ALL {
            assert_eq!(served_by_numeric(dtype), NUMERIC.contains(&dtype), "{dtype}");
            assert_eq!(served_by_real(dtype), REAL.contains(&dtype), "{dtype}");
            let float = with_float!(dtype => T, { std::mem::size_of::<T>() > 0 }, else { false });
            assert_eq!(float, FLOATS.contains(&dtype), "{dtype}");
            let integer = with_integer!(dtype => T, { std::mem::size_of::<T>() > 0 }, else { false });
            assert_eq!(integer, INTEGERS.contains(&dtype), "{dtype}");
            let index = with_index!(dtype => T, { std::mem::size_of::<T>() > 0 }, else { false });
            assert_eq!(index, INDEX.contains(&dtype), "{dtype}");
            let any = with_numeric_or_bool!(dtype => T, { std::mem::size_of::<T>() > 0 }, else { false });
            assert_eq!(any, NUMERIC_AND_BOOL.contains(&dtype), "{dtype}");
        }
    }
}
