//! `OpDef` messages, as function signatures use them, to and from [`OpDef`].

use super::attr::{attr_from_proto, attr_to_proto};
use crate::attr::AttrValue;
use crate::op::{ArgDef, ArgType, AttrDef, OpDef};
use ferroflow_proto as pb;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, EdgeType, Result};

pub(super) fn op_def_from_proto(p: &pb::OpDef) -> Result<OpDef> {
    let at = |e: ferroflow_tensor::Error| e.context(format_args!("Op<name={}>", p.name));
    let arg = |a: &pb::op_def::ArgDef| arg(a).map_err(at);
    Ok(OpDef {
        name: p.name.clone(),
        inputs: p.input_arg.iter().map(arg).collect::<Result<_>>()?,
        outputs: p.output_arg.iter().map(arg).collect::<Result<_>>()?,
        attrs: p.attr.iter().map(|a| attr(a).map_err(at)).collect::<Result<_>>()?,
        is_commutative: p.is_commutative,
        is_aggregate: p.is_aggregate,
        is_stateful: p.is_stateful,
        allows_uninitialized_input: p.allows_uninitialized_input,
    })
}

fn arg(a: &pb::op_def::ArgDef) -> Result<ArgDef> {
    if a.name.is_empty() {
        return Err(invalid_argument("an argument has no name"));
    }
    let mut is_ref = a.is_ref;
    let ty = if !a.type_list_attr.is_empty() {
        ArgType::ListAttr(a.type_list_attr.clone())
    } else if !a.type_attr.is_empty() {
        ArgType::Attr(a.type_attr.clone())
    } else {
        let (dtype, by_type) = DType::from_proto(a.r#type).map_err(|e| e.context(format_args!("argument '{}'", a.name)))?;
        is_ref |= by_type;
        ArgType::Fixed(dtype)
    };
    let number_attr = (!a.number_attr.is_empty()).then(|| a.number_attr.clone());
    Ok(ArgDef { name: a.name.clone(), ty, number_attr, is_ref })
}

fn attr(a: &pb::op_def::AttrDef) -> Result<AttrDef> {
    if a.name.is_empty() {
        return Err(invalid_argument("an attribute has no name"));
    }
    let at = |e: ferroflow_tensor::Error| e.context(format_args!("attr '{}'", a.name));
    let default = a.default_value.as_ref().map(attr_from_proto).transpose().map_err(at)?;
    let (mut allowed_types, mut allowed_strings) = (None, None);
    match a.allowed_values.as_ref().map(attr_from_proto).transpose().map_err(at)? {
        Some(AttrValue::Types(ts)) => allowed_types = Some(ts.iter().map(|t| t.dtype).collect()),
        Some(AttrValue::Strs(ss)) => allowed_strings = Some(ss.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect()),
        _ => {}
    }
    let minimum = a.has_minimum.then_some(a.minimum);
    Ok(AttrDef { name: a.name.clone(), kind: a.r#type.clone(), default, minimum, allowed_types, allowed_strings })
}

pub(super) fn op_def_to_proto(d: &OpDef) -> Result<pb::OpDef> {
    Ok(pb::OpDef {
        name: d.name.clone(),
        input_arg: d.inputs.iter().map(arg_to_proto).collect(),
        output_arg: d.outputs.iter().map(arg_to_proto).collect(),
        attr: d.attrs.iter().map(attr_def_to_proto).collect::<Result<_>>()?,
        is_aggregate: d.is_aggregate,
        is_stateful: d.is_stateful,
        is_commutative: d.is_commutative,
        allows_uninitialized_input: d.allows_uninitialized_input,
        ..Default::default()
    })
}

fn arg_to_proto(a: &ArgDef) -> pb::op_def::ArgDef {
    let mut p = pb::op_def::ArgDef {
        name: a.name.clone(),
        number_attr: a.number_attr.clone().unwrap_or_default(),
        is_ref: a.is_ref,
        ..Default::default()
    };
    match &a.ty {
        ArgType::Fixed(dtype) => p.r#type = dtype.to_proto(),
        ArgType::Attr(name) => p.type_attr = name.clone(),
        ArgType::ListAttr(name) => p.type_list_attr = name.clone(),
    }
    p
}

fn attr_def_to_proto(a: &AttrDef) -> Result<pb::op_def::AttrDef> {
    let allowed = match (&a.allowed_types, &a.allowed_strings) {
        (Some(ts), _) => Some(AttrValue::Types(ts.iter().copied().map(EdgeType::value).collect())),
        (None, Some(ss)) => Some(AttrValue::from(ss.clone())),
        (None, None) => None,
    };
    Ok(pb::op_def::AttrDef {
        name: a.name.clone(),
        r#type: a.kind.clone(),
        default_value: a.default.as_ref().map(attr_to_proto).transpose()?,
        has_minimum: a.minimum.is_some(),
        minimum: a.minimum.unwrap_or_default(),
        allowed_values: allowed.as_ref().map(attr_to_proto).transpose()?,
        ..Default::default()
    })
}
