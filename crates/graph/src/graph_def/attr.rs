//! `AttrValue` messages to and from [`AttrValue`].

use crate::attr::{AttrMap, AttrValue, FuncAttr};
use ferroflow_proto as pb;
use ferroflow_tensor::error::{Error, invalid_argument, resource_exhausted};
use ferroflow_tensor::{DType, EdgeType, PartialShape, Result, Tensor};
use pb::attr_value::{ListValue, Value};
use std::collections::BTreeMap;

/// How deeply functions may nest in attributes of functions.
const MAX_DEPTH: u32 = 24;

/// What the constants of one message may take in memory. No message is larger, but a few bytes can stand for a huge tensor.
const MAX_TENSOR_BYTES: u64 = 2 << 30;

/// Counts what a message has made us allocate.
pub(super) struct Budget {
    tensor_bytes: u64,
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { tensor_bytes: MAX_TENSOR_BYTES }
    }

    fn tensor(&mut self, p: &pb::TensorProto) -> Result<Tensor> {
        let dtype = DType::from_proto_base(p.dtype)?;
        let elements = match &p.tensor_shape {
            None => 1,
            Some(shape) => ferroflow_tensor::shape_from_proto(shape)?.num_elements() as u64,
        };
        // Strings, handles and variants take some words each.
        let bytes = elements.saturating_mul(if dtype.is_plain() { dtype.size() as u64 } else { 64 });
        self.tensor_bytes = self
            .tensor_bytes
            .checked_sub(bytes)
            .ok_or_else(|| resource_exhausted(format!("the constants of the graph take more than {} GiB", MAX_TENSOR_BYTES >> 30)))?;
        ferroflow_tensor::from_proto(p)
    }
}

/// The value of an attribute.
///
/// Errors: `InvalidArgument` if it has no value, mixes kinds in a list, or holds a bad type, shape or tensor.
pub fn attr_from_proto(p: &pb::AttrValue) -> Result<AttrValue> {
    value(p, &mut Budget::new(), 0)
}

/// The attributes of a node. Internal ones (`_…`) that we cannot read are hints of others and are dropped.
pub(super) fn attrs_from_proto(p: &BTreeMap<String, pb::AttrValue>, budget: &mut Budget) -> Result<AttrMap> {
    map(p, budget, 0)
}

fn map(p: &BTreeMap<String, pb::AttrValue>, budget: &mut Budget, depth: u32) -> Result<AttrMap> {
    let read = p.iter().filter_map(|(name, v)| match value(v, budget, depth) {
        Ok(v) => Some(Ok((name.clone(), v))),
        Err(e) if name.starts_with('_') && e.code() == ferroflow_tensor::Code::InvalidArgument => None,
        Err(e) => Some(Err(e.context(format_args!("attr '{name}'")))),
    });
    read.collect()
}

fn edge_type(n: i32) -> Result<EdgeType> {
    DType::from_proto(n).map(|(dtype, is_ref)| EdgeType { dtype, is_ref })
}

fn func(f: &pb::NameAttrList, budget: &mut Budget, depth: u32) -> Result<FuncAttr> {
    if depth >= MAX_DEPTH {
        return Err(invalid_argument("functions are nested too deeply in attributes"));
    }
    Ok(FuncAttr { name: f.name.clone(), attrs: map(&f.attr, budget, depth + 1)? })
}

fn value(p: &pb::AttrValue, budget: &mut Budget, depth: u32) -> Result<AttrValue> {
    let missing = || -> Error { invalid_argument("AttrValue missing value") };
    Ok(match p.value.as_ref().ok_or_else(missing)? {
        Value::S(s) => AttrValue::Str(s.clone()),
        Value::I(i) => AttrValue::Int(*i),
        Value::F(f) => AttrValue::Float(*f),
        Value::B(b) => AttrValue::Bool(*b),
        Value::Type(t) => AttrValue::Type(edge_type(*t)?),
        Value::Shape(s) => AttrValue::Shape(ferroflow_tensor::partial_shape_from_proto(s)?),
        Value::Tensor(t) => AttrValue::Tensor(budget.tensor(t)?),
        Value::Placeholder(name) => AttrValue::Placeholder(name.clone()),
        Value::Func(f) => AttrValue::Func(func(f, budget, depth)?),
        Value::List(l) => list(l, budget, depth)?,
    })
}

fn list(l: &ListValue, budget: &mut Budget, depth: u32) -> Result<AttrValue> {
    let kinds = [
        l.s.is_empty(),
        l.i.is_empty(),
        l.f.is_empty(),
        l.b.is_empty(),
        l.r#type.is_empty(),
        l.shape.is_empty(),
        l.tensor.is_empty(),
        l.func.is_empty(),
    ];
    if kinds.iter().filter(|empty| !**empty).count() > 1 {
        return Err(invalid_argument("AttrValue had a list with values of several types"));
    }
    Ok(if !l.s.is_empty() {
        AttrValue::Strs(l.s.clone())
    } else if !l.f.is_empty() {
        AttrValue::Floats(l.f.clone())
    } else if !l.b.is_empty() {
        AttrValue::Bools(l.b.clone())
    } else if !l.r#type.is_empty() {
        AttrValue::Types(l.r#type.iter().map(|t| edge_type(*t)).collect::<Result<_>>()?)
    } else if !l.shape.is_empty() {
        AttrValue::Shapes(l.shape.iter().map(ferroflow_tensor::partial_shape_from_proto).collect::<Result<_>>()?)
    } else if !l.tensor.is_empty() {
        AttrValue::Tensors(l.tensor.iter().map(|t| budget.tensor(t)).collect::<Result<_>>()?)
    } else if !l.func.is_empty() {
        AttrValue::Funcs(l.func.iter().map(|f| func(f, budget, depth)).collect::<Result<_>>()?)
    } else {
        AttrValue::Ints(l.i.clone())
    })
}

/// The attribute as a message. Constants of plain types share their memory with it.
///
/// Errors: `InvalidArgument` for a variant that cannot leave the process.
pub fn attr_to_proto(v: &AttrValue) -> Result<pb::AttrValue> {
    let list = |l: ListValue| Value::List(l);
    let shape = |s: &PartialShape| ferroflow_tensor::partial_shape_to_proto(s);
    let value = match v {
        AttrValue::Int(i) => Value::I(*i),
        AttrValue::Float(f) => Value::F(*f),
        AttrValue::Bool(b) => Value::B(*b),
        AttrValue::Type(t) => Value::Type(t.to_proto()),
        AttrValue::Str(s) => Value::S(s.clone()),
        AttrValue::Shape(s) => Value::Shape(shape(s)),
        AttrValue::Tensor(t) => Value::Tensor(ferroflow_tensor::to_proto(t)?),
        AttrValue::Func(f) => Value::Func(func_to_proto(f)?),
        AttrValue::Placeholder(name) => Value::Placeholder(name.clone()),
        AttrValue::Ints(i) => list(ListValue { i: i.clone(), ..Default::default() }),
        AttrValue::Floats(f) => list(ListValue { f: f.clone(), ..Default::default() }),
        AttrValue::Bools(b) => list(ListValue { b: b.clone(), ..Default::default() }),
        AttrValue::Types(t) => list(ListValue { r#type: t.iter().map(|t| t.to_proto()).collect(), ..Default::default() }),
        AttrValue::Strs(s) => list(ListValue { s: s.clone(), ..Default::default() }),
        AttrValue::Shapes(s) => list(ListValue { shape: s.iter().map(shape).collect(), ..Default::default() }),
        AttrValue::Tensors(t) => {
            list(ListValue { tensor: t.iter().map(ferroflow_tensor::to_proto).collect::<Result<_>>()?, ..Default::default() })
        }
        AttrValue::Funcs(f) => list(ListValue { func: f.iter().map(func_to_proto).collect::<Result<_>>()?, ..Default::default() }),
    };
    Ok(pb::AttrValue { value: Some(value) })
}

fn func_to_proto(f: &FuncAttr) -> Result<pb::NameAttrList> {
    Ok(pb::NameAttrList { name: f.name.clone(), attr: attrs_to_proto(&f.attrs)? })
}

pub(super) fn attrs_to_proto(attrs: &AttrMap) -> Result<BTreeMap<String, pb::AttrValue>> {
    attrs.iter().map(|(name, v)| Ok((name.to_owned(), attr_to_proto(v)?))).collect()
}
