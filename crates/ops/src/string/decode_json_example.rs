//! `DecodeJSONExample`: examples that are written as JSON, in protobuf's binary form.

use super::base64;
use super::json::Json;
use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeJSONExample(json_examples: string) -> (binary_examples: string)",
    attrs: "",
    doc: "Each string, an Example written as JSON, as protobuf serialises it. Object keys stand in double quotes, as JSON has them.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Writes the messages that an example consists of, in the order of the text.
struct Writer;

/// Adds a field with a length.
fn field(out: &mut Vec<u8>, number: u8, payload: &[u8]) {
    out.push(number << 3 | 2);
    varint(out, payload.len() as u64);
    out.extend_from_slice(payload);
}

fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n > 127 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

type Part = Result<Vec<u8>, String>;

/// The fields of an object, each at most once; `null` counts as absent.
fn fields<'a>(json: &'a Json, what: &str) -> Result<Vec<(&'a str, &'a Json)>, String> {
    let Json::Object(entries) = json else { return Err(format!("{what}: expected an object")) };
    Ok(entries.iter().filter(|(_, v)| !matches!(v, Json::Null)).map(|(k, v)| (k.as_str(), v)).collect())
}

impl Writer {
    fn example(json: &Json) -> Part {
        let mut out = Vec::new();
        for (name, value) in fields(json, "tensorflow.Example")? {
            match name {
                "features" if out.is_empty() => field(&mut out, 1, &Writer::features(value)?),
                other => return Err(no_field(other)),
            }
        }
        Ok(out)
    }

    fn features(json: &Json) -> Part {
        let mut out = Vec::new();
        for (name, value) in fields(json, "features")? {
            if name != "feature" {
                return Err(no_field(name));
            }
            let Json::Object(entries) = value else { return Err("features.feature: expected an object".to_owned()) };
            for (i, (key, value)) in entries.iter().enumerate() {
                if entries[..i].iter().any(|(k, _)| k == key) {
                    return Err(format!("features.feature: repeated key: '{key}'"));
                }
                let mut entry = Vec::new();
                field(&mut entry, 1, key.as_bytes());
                if !matches!(value, Json::Null) {
                    field(&mut entry, 2, &Writer::feature(value)?);
                }
                field(&mut out, 1, &entry);
            }
        }
        Ok(out)
    }

    fn feature(json: &Json) -> Part {
        let mut out = Vec::new();
        for (name, value) in fields(json, "features.feature")? {
            if !out.is_empty() {
                return Err(format!("features.feature: '{name}' is a second member of the oneof 'kind'"));
            }
            match name {
                "bytesList" | "bytes_list" => field(&mut out, 1, &list(value, bytes_element)?),
                "floatList" | "float_list" => field(&mut out, 2, &list(value, float_element)?),
                "int64List" | "int64_list" => field(&mut out, 3, &list(value, int_element)?),
                other => return Err(no_field(other)),
            }
        }
        Ok(out)
    }
}

fn no_field(name: &str) -> String {
    format!("no such field: '{name}'")
}

/// The elements of a list's `value`, each with its tag, as protobuf's converter writes them.
fn list(json: &Json, element: fn(&Json, &mut Vec<u8>) -> Result<(), String>) -> Part {
    let mut out = Vec::new();
    for (name, value) in fields(json, "a list")? {
        if name != "value" {
            return Err(no_field(name));
        }
        match value {
            Json::Array(all) => all.iter().try_for_each(|one| element(one, &mut out))?,
            one => element(one, &mut out)?,
        }
    }
    Ok(out)
}

fn bytes_element(json: &Json, out: &mut Vec<u8>) -> Result<(), String> {
    let decoded = match json {
        Json::Null => Some(Vec::new()),
        Json::String(text) => base64::decode(text.replace('+', "-").replace('/', "_").as_bytes()),
        _ => None,
    };
    field(out, 1, &decoded.ok_or("bytes: expected a string of base64")?);
    Ok(())
}

/// A number, or a string that is one.
fn number(json: &Json) -> Option<f64> {
    match json {
        Json::Null => Some(0.0),
        Json::Int(n) => Some(*n as f64),
        Json::Number(n) => Some(*n),
        Json::String(text) if text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) => text.parse().ok(),
        _ => None,
    }
}

fn float_element(json: &Json, out: &mut Vec<u8>) -> Result<(), String> {
    let value = match json {
        Json::String(text) if text == "NaN" => f32::NAN,
        Json::String(text) if text == "Infinity" => f32::INFINITY,
        Json::String(text) if text == "-Infinity" => f32::NEG_INFINITY,
        other => number(other).map(|n| n as f32).filter(|n| n.is_finite()).ok_or("float: expected a number that a float can hold")?,
    };
    out.push(1 << 3 | 5);
    out.extend_from_slice(&value.to_le_bytes());
    Ok(())
}

fn int_element(json: &Json, out: &mut Vec<u8>) -> Result<(), String> {
    let exact = match json {
        Json::Int(n) => Some(*n),
        Json::String(text) => text.parse().ok(),
        _ => None,
    };
    let whole = |n: &f64| n.fract() == 0.0 && (i64::MIN as f64..i64::MAX as f64).contains(n);
    let value = exact.or_else(|| number(json).filter(whole).map(|n| n as i64)).ok_or("int64: expected an integer of 64 bits")?;
    out.push(1 << 3);
    varint(out, value as u64);
    Ok(())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let texts = ctx.input(0)?;
    let convert = |text: &Bytes| -> Result<Bytes> {
        let lenient = |error: serde_json::Error| {
            let text = std::str::from_utf8(text).map_err(|e| e.to_string())?;
            serde_json::from_str::<Json>(&super::json::strict(text)).map_err(|_| error.to_string())
        };
        let json = serde_json::from_slice::<Json>(text).or_else(lenient);
        let binary = json.and_then(|json| Writer::example(&json));
        binary.map(Bytes::from).map_err(|e| invalid_argument(format!("Error while parsing JSON: {e}")))
    };
    let binary = texts.as_strings()?.iter().map(convert).collect::<Result<Vec<_>>>()?;
    let y = Tensor::strings(texts.shape().clone(), binary)?;
    ctx.set_output(0, y);
    Ok(())
}
