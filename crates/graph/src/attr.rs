//! Attribute values of nodes (TF: `AttrValue`), as plain Rust values.

use bytes::Bytes;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, EdgeType, PartialShape, Result, Tensor};
use std::collections::BTreeMap;

/// A function's name and the attributes that instantiate it (TF: `NameAttrList`).
#[derive(Clone, Debug, Default)]
pub struct FuncAttr {
    /// Name in the function library.
    pub name: String,
    /// Values of the function's own attributes.
    pub attrs: AttrMap,
}

/// The value of one attribute.
#[derive(Clone, Debug)]
pub enum AttrValue {
    /// `int`
    Int(i64),
    /// `float`
    Float(f32),
    /// `bool`
    Bool(bool),
    /// `type`; client graphs may name reference types
    Type(EdgeType),
    /// `string`: bytes, not always UTF-8
    Str(Bytes),
    /// `shape`
    Shape(PartialShape),
    /// `tensor`
    Tensor(Tensor),
    /// `func`
    Func(FuncAttr),
    /// `list(int)`; also how an empty list of any kind may arrive
    Ints(Vec<i64>),
    /// `list(float)`
    Floats(Vec<f32>),
    /// `list(bool)`
    Bools(Vec<bool>),
    /// `list(type)`
    Types(Vec<EdgeType>),
    /// `list(string)`
    Strs(Vec<Bytes>),
    /// `list(shape)`
    Shapes(Vec<PartialShape>),
    /// `list(tensor)`
    Tensors(Vec<Tensor>),
    /// `list(func)`
    Funcs(Vec<FuncAttr>),
    /// A reference to an attribute of the surrounding function (`$T`), replaced when the function is instantiated.
    Placeholder(String),
}

impl AttrValue {
    /// Its kind in the words of op definitions.
    pub fn kind(&self) -> &'static str {
        use AttrValue::*;
        match self {
            Int(_) => "int",
            Float(_) => "float",
            Bool(_) => "bool",
            Type(_) => "type",
            Str(_) => "string",
            Shape(_) => "shape",
            Tensor(_) => "tensor",
            Func(_) => "func",
            Ints(_) => "list(int)",
            Floats(_) => "list(float)",
            Bools(_) => "list(bool)",
            Types(_) => "list(type)",
            Strs(_) => "list(string)",
            Shapes(_) => "list(shape)",
            Tensors(_) => "list(tensor)",
            Funcs(_) => "list(func)",
            Placeholder(_) => "placeholder",
        }
    }

    /// Whether it is a list without elements; the wire does not say of which kind.
    pub fn is_empty_list(&self) -> bool {
        use AttrValue::*;
        match self {
            Ints(v) => v.is_empty(),
            Floats(v) => v.is_empty(),
            Bools(v) => v.is_empty(),
            Types(v) => v.is_empty(),
            Strs(v) => v.is_empty(),
            Shapes(v) => v.is_empty(),
            Tensors(v) => v.is_empty(),
            Funcs(v) => v.is_empty(),
            _ => false,
        }
    }
}

/// The attributes of a node, by name.
#[derive(Clone, Debug, Default)]
pub struct AttrMap(BTreeMap<String, AttrValue>);

macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident, $variant:ident, $ret:ty, $v:ident => $conv:expr, $kind:literal;)*) => {
        $($(#[$doc])*
        ///
        /// Errors: `InvalidArgument` if the attribute is missing or of another kind.
        pub fn $name(&self, name: &str) -> Result<$ret> {
            match self.0.get(name) {
                Some(AttrValue::$variant($v)) => Ok($conv),
                Some(other) => Err(wrong_kind(name, other, $kind)),
                None => Err(missing(name)),
            }
        })*
    };
}

macro_rules! list_getters {
    ($($(#[$doc:meta])* $name:ident, $variant:ident, $elem:ty, $kind:literal;)*) => {
        $($(#[$doc])*
        ///
        /// Errors: `InvalidArgument` if the attribute is missing or of another kind.
        pub fn $name(&self, name: &str) -> Result<&[$elem]> {
            match self.0.get(name) {
                Some(AttrValue::$variant(v)) => Ok(v),
                Some(other) if other.is_empty_list() => Ok(&[]),
                Some(other) => Err(wrong_kind(name, other, $kind)),
                None => Err(missing(name)),
            }
        })*
    };
}

impl AttrMap {
    /// No attributes.
    pub fn new() -> AttrMap {
        AttrMap::default()
    }

    /// The value of an attribute, if present.
    pub fn get(&self, name: &str) -> Option<&AttrValue> {
        self.0.get(name)
    }

    /// Sets an attribute.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<AttrValue>) {
        self.0.insert(name.into(), value.into());
    }

    /// Removes an attribute.
    pub fn remove(&mut self, name: &str) -> Option<AttrValue> {
        self.0.remove(name)
    }

    /// Whether the attribute is present.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// All of them, by ascending name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AttrValue)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    getters! {
        /// An `int`.
        int, Int, i64, v => *v, "int";
        /// A `float`.
        float, Float, f32, v => *v, "float";
        /// A `bool`.
        bool, Bool, bool, v => *v, "bool";
        /// A `type`; a reference type counts as its base type.
        dtype, Type, DType, v => v.dtype, "type";
        /// A `string`.
        bytes, Str, &Bytes, v => v, "string";
        /// A `shape`.
        shape, Shape, &PartialShape, v => v, "shape";
        /// A `tensor`.
        tensor, Tensor, &Tensor, v => v, "tensor";
        /// A `func`.
        func, Func, &FuncAttr, v => v, "func";
    }

    list_getters! {
        /// A `list(int)`.
        ints, Ints, i64, "list(int)";
        /// A `list(float)`.
        floats, Floats, f32, "list(float)";
        /// A `list(bool)`.
        bools, Bools, bool, "list(bool)";
        /// A `list(type)`.
        types, Types, EdgeType, "list(type)";
        /// A `list(string)`.
        strs, Strs, Bytes, "list(string)";
        /// A `list(shape)`.
        shapes, Shapes, PartialShape, "list(shape)";
        /// A `list(func)`.
        funcs, Funcs, FuncAttr, "list(func)";
    }

    /// The base types of a `list(type)`.
    ///
    /// Errors: `InvalidArgument` if the attribute is missing or of another kind.
    pub fn dtypes(&self, name: &str) -> Result<Vec<DType>> {
        Ok(self.types(name)?.iter().map(|t| t.dtype).collect())
    }

    /// A `string` that is text.
    ///
    /// Errors: `InvalidArgument` if the attribute is missing, of another kind, or not UTF-8.
    pub fn str(&self, name: &str) -> Result<&str> {
        std::str::from_utf8(self.bytes(name)?).map_err(|_| invalid_argument(format!("attribute '{name}' is not UTF-8 text")))
    }

    /// An `int` that counts something.
    ///
    /// Errors: `InvalidArgument` if the attribute is missing, of another kind, or negative.
    pub fn count(&self, name: &str) -> Result<usize> {
        let v = self.int(name)?;
        usize::try_from(v).map_err(|_| invalid_argument(format!("attribute '{name}' is {v}, which is negative")))
    }
}

fn missing(name: &str) -> ferroflow_tensor::Error {
    invalid_argument(format!("No attr named '{name}' in NodeDef"))
}

fn wrong_kind(name: &str, value: &AttrValue, wanted: &str) -> ferroflow_tensor::Error {
    invalid_argument(format!("AttrValue had value with type '{}' when '{wanted}' expected for attr '{name}'", value.kind()))
}

impl FromIterator<(String, AttrValue)> for AttrMap {
    fn from_iter<I: IntoIterator<Item = (String, AttrValue)>>(iter: I) -> AttrMap {
        AttrMap(iter.into_iter().collect())
    }
}

macro_rules! conversions {
    ($($ty:ty, $v:ident => $value:expr;)*) => {
        $(impl From<$ty> for AttrValue {
            fn from($v: $ty) -> AttrValue { $value }
        })*
    };
}

conversions! {
    i64, v => AttrValue::Int(v);
    i32, v => AttrValue::Int(v as i64);
    usize, v => AttrValue::Int(v as i64);
    f32, v => AttrValue::Float(v);
    bool, v => AttrValue::Bool(v);
    DType, v => AttrValue::Type(EdgeType::value(v));
    EdgeType, v => AttrValue::Type(v);
    Bytes, v => AttrValue::Str(v);
    String, v => AttrValue::Str(v.into());
    &str, v => AttrValue::Str(Bytes::copy_from_slice(v.as_bytes()));
    PartialShape, v => AttrValue::Shape(v);
    Tensor, v => AttrValue::Tensor(v);
    FuncAttr, v => AttrValue::Func(v);
    Vec<i64>, v => AttrValue::Ints(v);
    &[i64], v => AttrValue::Ints(v.to_vec());
    Vec<f32>, v => AttrValue::Floats(v);
    Vec<bool>, v => AttrValue::Bools(v);
    Vec<DType>, v => AttrValue::Types(v.into_iter().map(EdgeType::value).collect());
    &[DType], v => AttrValue::Types(v.iter().copied().map(EdgeType::value).collect());
    Vec<EdgeType>, v => AttrValue::Types(v);
    Vec<Bytes>, v => AttrValue::Strs(v);
    Vec<String>, v => AttrValue::Strs(v.into_iter().map(Bytes::from).collect());
    Vec<PartialShape>, v => AttrValue::Shapes(v);
}
