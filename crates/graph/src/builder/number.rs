//! Constants whose type is that of another output: what `x + 1.0` means for each element type.

use super::{Graph, Output};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result, Tensor};
use half::{bf16, f16};
use num_complex::Complex;

/// A number of no particular element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i64),
    /// Any number.
    Float(f64),
}

macro_rules! numbers {
    ($($ty:ty, $v:ident => $number:expr;)*) => {
        $(impl From<$ty> for Number {
            fn from($v: $ty) -> Number { $number }
        })*
    };
}

numbers! {
    i32, v => Number::Int(v as i64);
    i64, v => Number::Int(v);
    f32, v => Number::Float(v as f64);
    f64, v => Number::Float(v);
}

/// The number as a scalar of this type.
///
/// Errors: `InvalidArgument` if an integer type cannot hold it, or the type holds no numbers.
pub fn scalar_of(dtype: DType, number: impl Into<Number>) -> Result<Tensor> {
    let number = number.into();
    let float = match number {
        Number::Int(i) => i as f64,
        Number::Float(f) => f,
    };
    let bad = || {
        let text = match number {
            Number::Int(i) => i.to_string(),
            Number::Float(f) => f.to_string(),
        };
        invalid_argument(format!("{text} is no value of type {dtype}"))
    };
    let int = match number {
        Number::Int(i) => Some(i),
        Number::Float(f) => (f.fract() == 0.0 && f.abs() < 9e18).then_some(f as i64),
    };
    macro_rules! whole {
        ($ty:ty) => {
            Tensor::scalar::<$ty>(int.and_then(|i| i.try_into().ok()).ok_or_else(bad)?)
        };
    }
    Ok(match dtype {
        DType::Float => Tensor::scalar(float as f32),
        DType::Double => Tensor::scalar(float),
        DType::Half => Tensor::scalar(f16::from_f64(float)),
        DType::BFloat16 => Tensor::scalar(bf16::from_f64(float)),
        DType::Complex64 => Tensor::scalar(Complex::new(float as f32, 0.0)),
        DType::Complex128 => Tensor::scalar(Complex::new(float, 0.0)),
        DType::Int8 => whole!(i8),
        DType::Int16 => whole!(i16),
        DType::Int32 => whole!(i32),
        DType::Int64 => whole!(i64),
        DType::UInt8 => whole!(u8),
        DType::UInt16 => whole!(u16),
        DType::UInt32 => whole!(u32),
        DType::UInt64 => whole!(u64),
        _ => return Err(bad()),
    })
}

impl Graph {
    /// A constant scalar of this type. A number that the type cannot hold becomes the graph's error.
    #[track_caller]
    pub fn constant_of_type(&self, dtype: DType, number: impl Into<Number>) -> Output {
        match scalar_of(dtype, number) {
            Ok(t) => self.constant_tensor(t),
            Err(e) => {
                self.fail(e);
                self.constant(0f32)
            }
        }
    }
}
