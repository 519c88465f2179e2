//! The text form of op definitions: `MatMul(a: T, b: T) -> (product: T)` with `T: type in {float, double}; …`.
//!
//! Our op files are written in it, and the recorded table of TF's signatures uses the same form, so that a test compares
//! the two as text.

use super::def::{ArgDef, ArgType, AttrDef, OpDef};
use crate::attr::AttrValue;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, EdgeType, PartialShape, Result, Tensor};

impl OpDef {
    /// Parses a definition.
    ///
    /// - `signature`: `Name(arg: type, …) -> (result: type, …)`, a type being `float`, `T`, `N * T`, `Ref(T)` or the name of a
    ///   `list(type)` attribute;
    /// - `attrs`: `name: kind [in {…}] [>= n] [= default]`, separated by `;`
    /// - `flags`: any of `stateful`, `commutative`, `aggregate`, `uninitialized_input`, separated by `,`.
    ///
    /// Errors: `InvalidArgument` for text that is not of this form.
    pub fn parse(signature: &str, attrs: &str, flags: &str) -> Result<OpDef> {
        let bad = || invalid_argument(format!("malformed op signature: {signature}"));
        let attrs = split_top(attrs, ';').into_iter().map(parse_attr).collect::<Result<Vec<_>>>()?;
        let (name, rest) = signature.split_once('(').ok_or_else(bad)?;
        let (inputs, outputs) = rest.split_once(") -> (").ok_or_else(bad)?;
        let outputs = outputs.strip_suffix(')').ok_or_else(bad)?;
        let args = |text: &str| split_top(text, ',').into_iter().map(|a| parse_arg(a, &attrs)).collect::<Result<Vec<_>>>();
        let (inputs, outputs) = (args(inputs)?, args(outputs)?);
        let has = |flag: &str| flags.split(',').any(|f| f.trim() == flag);
        Ok(OpDef {
            name: name.trim().to_owned(),
            inputs,
            outputs,
            is_commutative: has("commutative"),
            is_aggregate: has("aggregate"),
            is_stateful: has("stateful"),
            allows_uninitialized_input: has("uninitialized_input"),
            attrs,
        })
    }
}

/// Splits at a separator that stands outside brackets and quotes; drops empty pieces.
fn split_top(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    let mut parts = Vec::new();
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            c if c == separator && depth == 0 && !quoted => {
                parts.push(text[start..i].trim());
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

fn parse_arg(text: &str, attrs: &[AttrDef]) -> Result<ArgDef> {
    let (name, mut ty) = text.split_once(':').ok_or_else(|| invalid_argument(format!("malformed argument: {text}")))?;
    ty = ty.trim();
    let mut is_ref = false;
    let mut number_attr = None;
    if let Some(inner) = ty.strip_prefix("Ref(").and_then(|t| t.strip_suffix(')')) {
        is_ref = true;
        ty = inner.trim();
    }
    if let Some((number, element)) = ty.split_once('*') {
        number_attr = Some(number.trim().to_owned());
        ty = element.trim();
    }
    let by_attr = attrs.iter().find(|a| a.name == ty);
    let ty = match by_attr {
        Some(a) if a.kind == "list(type)" => ArgType::ListAttr(a.name.clone()),
        Some(a) => ArgType::Attr(a.name.clone()),
        None => ArgType::Fixed(DType::from_name(ty).ok_or_else(|| invalid_argument(format!("unknown type of argument: {text}")))?),
    };
    Ok(ArgDef { name: name.trim().to_owned(), ty, number_attr, is_ref })
}

fn parse_attr(text: &str) -> Result<AttrDef> {
    let bad = || invalid_argument(format!("malformed attribute: {text}"));
    let (name, mut rest) = text.split_once(':').ok_or_else(bad)?;
    let mut default_text = None;
    if let Some(at) = find_default(rest) {
        default_text = Some(rest[at + 3..].trim());
        rest = &rest[..at];
    }
    let (mut allowed_types, mut allowed_strings) = (None, None);
    let mut kind = rest.trim();
    if let Some((before, set)) = kind.split_once(" in ") {
        kind = before.trim();
        let set = set.trim().strip_prefix('{').and_then(|s| s.strip_suffix('}')).ok_or_else(bad)?;
        let items = split_top(set, ',');
        if kind.contains("string") {
            allowed_strings = Some(items.iter().map(|s| unquote(s).ok_or_else(bad)).collect::<Result<_>>()?);
        } else {
            allowed_types = Some(items.iter().map(|s| DType::from_name(s).ok_or_else(bad)).collect::<Result<_>>()?);
        }
    }
    let mut minimum = None;
    if let Some((before, number)) = kind.split_once(">=") {
        minimum = Some(number.trim().parse().map_err(|_| bad())?);
        kind = before.trim();
    }
    let default = default_text.map(|d| parse_default(kind, d).ok_or_else(bad)).transpose()?;
    Ok(AttrDef { name: name.trim().to_owned(), kind: kind.to_owned(), default, minimum, allowed_types, allowed_strings })
}

/// Where ` = ` stands outside quotes (`>=` has no space before its `=`).
fn find_default(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(i, c)| {
        quoted ^= c == '"';
        (!quoted && text[i..].starts_with(" = ")).then_some(i)
    })
}

fn unquote(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            },
            c => c,
        });
    }
    Some(out)
}

fn parse_shape(text: &str) -> Option<PartialShape> {
    if text == "unknown" {
        return Some(PartialShape::unknown());
    }
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let dims: Option<Vec<Option<i64>>> =
        split_top(inner, ',').into_iter().map(|d| if d == "?" || d == "-1" { Some(None) } else { d.parse().ok().map(Some) }).collect();
    Some(PartialShape::new(&dims?))
}

fn parse_default(kind: &str, text: &str) -> Option<AttrValue> {
    let list = || text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).map(|t| split_top(t, ','));
    Some(match kind {
        "int" => AttrValue::Int(text.parse().ok()?),
        "float" => AttrValue::Float(text.parse().ok()?),
        "bool" => AttrValue::Bool(text.parse().ok()?),
        "string" => AttrValue::Str(unquote(text)?.into()),
        "type" => AttrValue::Type(EdgeType::value(DType::from_name(text)?)),
        "shape" => AttrValue::Shape(parse_shape(text)?),
        "list(int)" => AttrValue::Ints(list()?.iter().map(|x| x.parse().ok()).collect::<Option<_>>()?),
        "list(float)" => AttrValue::Floats(list()?.iter().map(|x| x.parse().ok()).collect::<Option<_>>()?),
        "list(bool)" => AttrValue::Bools(list()?.iter().map(|x| x.parse().ok()).collect::<Option<_>>()?),
        "list(string)" => AttrValue::Strs(list()?.iter().map(|x| unquote(x).map(Into::into)).collect::<Option<_>>()?),
        "list(type)" => AttrValue::Types(list()?.iter().map(|x| DType::from_name(x).map(EdgeType::value)).collect::<Option<_>>()?),
        "list(shape)" => AttrValue::Shapes(list()?.iter().map(|x| parse_shape(x)).collect::<Option<_>>()?),
        "list(func)" if list()?.is_empty() => AttrValue::Funcs(vec![]),
        // The table writes the only default of this kind (`bad_color` of `ImageSummary`: opaque red) as a word.
        "tensor" if text == "tensor" => AttrValue::Tensor(Tensor::vector(&[255u8, 0, 0, 255]).ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr::AttrMap;

    #[test]
    fn a_signature_with_lists_expands_to_edges() {
        let def = OpDef::parse("Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type; N: int >= 1", "").unwrap();
        let mut attrs = AttrMap::new();
        attrs.insert("T", DType::Float);
        attrs.insert("N", 2i64);
        def.complete(&mut attrs).unwrap();
        let arity = def.arity(&attrs).unwrap();
        assert_eq!(arity.inputs, [EdgeType::value(DType::Float); 2]);
        assert_eq!(arity.outputs, [EdgeType::value(DType::Float), EdgeType::value(DType::Int32)]);
        attrs.insert("N", 0i64);
        assert!(def.complete(&mut attrs).unwrap_err().message().contains("at least minimum 1"));
    }

    #[test]
    fn defaults_limits_and_flags_are_read() {
        let def = OpDef::parse(
            "Conv2D(input: T, filter: T) -> (output: T)",
            "T: type in {half, float}; strides: list(int); padding: string in {\"SAME\", \"VALID\"}; explicit_paddings: list(int) = []; \
             dilations: list(int) = [1, 1, 1, 1]; x: float = 1e-04; s: string = \"a = b; c\"; shape: shape = unknown",
            "stateful, commutative",
        )
        .unwrap();
        assert!(def.is_stateful && def.is_commutative && !def.is_aggregate);
        assert!(matches!(&def.attr("dilations").unwrap().default, Some(AttrValue::Ints(v)) if *v == [1, 1, 1, 1]));
        assert!(matches!(&def.attr("s").unwrap().default, Some(AttrValue::Str(v)) if v.as_ref() == b"a = b; c"));
        assert!(matches!(&def.attr("shape").unwrap().default, Some(AttrValue::Shape(s)) if s.rank().is_none()));
        let mut attrs = AttrMap::new();
        attrs.insert("T", DType::Int32);
        attrs.insert("strides", vec![1i64]);
        attrs.insert("padding", "SAME");
        assert!(def.complete(&mut attrs).unwrap_err().message().contains("not in the list of allowed values"));
    }

    #[test]
    fn a_list_of_references_expands_to_references() {
        let def = OpDef::parse("RefMerge(inputs: Ref(N * T)) -> (output: Ref(T))", "T: type; N: int >= 1", "").unwrap();
        assert!(def.inputs[0].is_ref && def.inputs[0].number_attr.as_deref() == Some("N"));
    }

    #[test]
    fn a_reference_argument_keeps_its_mark() {
        let def = OpDef::parse("Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T))", "T: type", "uninitialized_input").unwrap();
        assert!(def.inputs[0].is_ref && def.outputs[0].is_ref && !def.inputs[1].is_ref);
        assert!(def.allows_uninitialized_input);
    }
}
