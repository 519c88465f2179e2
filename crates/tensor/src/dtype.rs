//! Element types: TF's `DataType` without the reference bit, and the Rust types that hold them.

use crate::error::{Result, invalid_argument};
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;

/// Added to a type's number when the value is a reference to a variable (`DT_FLOAT_REF` = 101).
const REF_OFFSET: i32 = 100;

macro_rules! dtypes {
    ($($variant:ident = $number:literal, $name:literal, $size:literal;)*) => {
        /// The type of a tensor's elements; the numbers are TF's `DataType`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum DType { $($variant = $number),* }

        impl DType {
            /// Every element type.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// The name in op definitions (`float`, `int32`, …), as TF's signatures write it.
            pub fn name(self) -> &'static str {
                match self { $(DType::$variant => $name),* }
            }

            /// Bytes of one element in memory; 0 for strings, resources and variants.
            pub const fn size(self) -> usize {
                match self { $(DType::$variant => $size),* }
            }

            fn from_base_number(n: i32) -> Option<DType> {
                match n { $($number => Some(DType::$variant),)* _ => None }
            }
        }
    };
}

dtypes! {
    Float = 1, "float", 4;
    Double = 2, "double", 8;
    Int32 = 3, "int32", 4;
    UInt8 = 4, "uint8", 1;
    Int16 = 5, "int16", 2;
    Int8 = 6, "int8", 1;
    String = 7, "string", 0;
    Complex64 = 8, "complex64", 8;
    Int64 = 9, "int64", 8;
    Bool = 10, "bool", 1;
    QInt8 = 11, "qint8", 1;
    QUInt8 = 12, "quint8", 1;
    QInt32 = 13, "qint32", 4;
    BFloat16 = 14, "bfloat16", 2;
    QInt16 = 15, "qint16", 2;
    QUInt16 = 16, "quint16", 2;
    UInt16 = 17, "uint16", 2;
    Complex128 = 18, "complex128", 16;
    Half = 19, "half", 2;
    Resource = 20, "resource", 0;
    Variant = 21, "variant", 0;
    UInt32 = 22, "uint32", 4;
    UInt64 = 23, "uint64", 8;
    Float8E5M2 = 24, "float8_e5m2", 1;
    Float8E4M3FN = 25, "float8_e4m3fn", 1;
    Int4 = 29, "int4", 1;
    UInt4 = 30, "uint4", 1;
}

impl DType {
    /// The type of a `DataType` number, and whether it is a reference.
    ///
    /// Errors: `InvalidArgument` for a number that is no type (0 included).
    #[inline]
    pub fn from_proto(n: i32) -> Result<(DType, bool)> {
        let is_ref = n > REF_OFFSET;
        let base = if is_ref { n - REF_OFFSET } else { n };
        DType::from_base_number(base).map(|d| (d, is_ref)).ok_or_else(|| invalid_argument(format!("{n} is not a known data type")))
    }

    /// Like [`DType::from_proto`], but a reference type counts as its base type.
    #[inline]
    pub fn from_proto_base(n: i32) -> Result<DType> {
        Ok(DType::from_proto(n)?.0)
    }

    /// The `DataType` number.
    #[inline]
    pub fn to_proto(self) -> i32 {
        self as i32
    }

    /// The `DataType` number of a reference to this type.
    #[inline]
    pub fn to_proto_ref(self) -> i32 {
        self as i32 + REF_OFFSET
    }

    /// The type that an op definition's name stands for (`float`, also numpy's `float32`).
    pub fn from_name(name: &str) -> Option<DType> {
        let name = match name {
            "float32" => "float",
            "float64" => "double",
            "float16" => "half",
            other => other,
        };
        DType::ALL.iter().copied().find(|d| d.name() == name)
    }

    /// Whether its elements are plain memory (neither string, resource nor variant).
    #[inline]
    pub fn is_plain(self) -> bool {
        self.size() != 0
    }

    /// half, bfloat16, float or double.
    #[inline]
    pub fn is_floating(self) -> bool {
        matches!(self, DType::Half | DType::BFloat16 | DType::Float | DType::Double)
    }

    /// complex64 or complex128.
    #[inline]
    pub fn is_complex(self) -> bool {
        matches!(self, DType::Complex64 | DType::Complex128)
    }

    /// A signed or unsigned integer that is not quantized.
    #[inline]
    pub fn is_integer(self) -> bool {
        use DType::*;
        matches!(self, Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64)
    }
}

impl fmt::Display for DType {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for DType {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An element type with its reference bit: the type of one end of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EdgeType {
    /// The base type.
    pub dtype: DType,
    /// Whether the value is a reference to a variable.
    pub is_ref: bool,
}

impl EdgeType {
    /// A value of this type.
    #[inline]
    pub const fn value(dtype: DType) -> EdgeType {
        EdgeType { dtype, is_ref: false }
    }

    /// A reference to a variable of this type.
    #[inline]
    pub const fn reference(dtype: DType) -> EdgeType {
        EdgeType { dtype, is_ref: true }
    }

    /// The `DataType` number, with the reference bit.
    #[inline]
    pub fn to_proto(self) -> i32 {
        if self.is_ref { self.dtype.to_proto_ref() } else { self.dtype.to_proto() }
    }
}

impl fmt::Display for EdgeType {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, if self.is_ref { "_ref" } else { "" })
    }
}

impl fmt::Debug for EdgeType {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A Rust type that a tensor of plain memory holds.
///
/// # Safety
/// Every bit pattern that a tensor of `DTYPE` can hold must be a valid value (for `bool` the codec
/// normalises bytes to 0 and 1), and the size must be `DTYPE.size()`.
pub unsafe trait Element: Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The element type that it holds.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($ty:ty => $variant:ident),* $(,)?) => {
        $(
            // SAFETY: the sizes are equal, and the type is plain memory without invalid patterns (bool: see Element).
            unsafe impl Element for $ty { const DTYPE: DType = DType::$variant; }
            const _: () = assert!(std::mem::size_of::<$ty>() == DType::$variant.size());
        )*
    };
}

elements! {
    f32 => Float, f64 => Double, f16 => Half, bf16 => BFloat16,
    i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64,
    u8 => UInt8, u16 => UInt16, u32 => UInt32, u64 => UInt64,
    bool => Bool, Complex<f32> => Complex64, Complex<f64> => Complex128,
}

/// Runs an expression with a type alias bound to the Rust type of a [`DType`], for the listed types only.
///
/// `dispatch!(dtype, [f32, f64] => T, { body::<T>() }, else { other })`
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, [$($ty:ty),* $(,)?] => $alias:ident, $body:block, else $other:block) => {{
        let dtype = $dtype;
        $(if dtype == <$ty as $crate::Element>::DTYPE { #[allow(dead_code)] type $alias = $ty; $body } else)*
        $other
    }};
}
