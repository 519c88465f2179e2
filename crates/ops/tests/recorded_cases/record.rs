//! One line of a file of recorded cases.

use ferroflow_graph::{AttrMap, AttrValue};
use ferroflow_tensor::{DType, EdgeType, PartialShape, Shape, Tensor};
use serde_json::Value as Json;
use std::fmt;

/// How an input holds its value, where it is not plain.
#[derive(Clone, Copy)]
pub enum State {
    /// A variable, by reference.
    Ref,
    /// A variable, by resource handle.
    Resource,
}

/// An input before the first run.
pub struct Input {
    /// Its value, or that of the variable.
    pub value: Tensor,
    /// How it is held.
    pub state: Option<State>,
}

/// What one run of the node gave.
pub struct Run {
    /// The values of the outputs.
    pub outputs: Vec<Tensor>,
    /// The values of all variables among the inputs.
    pub after: Vec<Tensor>,
}

/// What TensorFlow answered.
pub enum Outcome {
    /// Values, for each run.
    Runs(Vec<Run>),
    /// An error of the first run.
    Error {
        /// The canonical code.
        code: i32,
        /// TensorFlow's words.
        message: String,
    },
}

/// A case.
pub struct Record {
    /// The op's type.
    pub op: String,
    /// The node's attributes.
    pub attrs: AttrMap,
    /// The data inputs.
    pub inputs: Vec<Input>,
    /// What came out.
    pub outcome: Outcome,
}

impl Record {
    /// Reads one line.
    pub fn parse(line: &str) -> Result<Record, String> {
        let json: Json = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let mut attrs = AttrMap::new();
        for (name, value) in json["attrs"].as_object().ok_or("no attrs")? {
            attrs.insert(name.as_str(), attr(value).ok_or_else(|| format!("attribute {name}: {value}"))?);
        }
        let inputs = list(&json["inputs"])?.iter().map(input).collect::<Result<_, _>>()?;
        let outcome = match (json["runs"].as_array(), &json["error"]) {
            (Some(runs), _) => Outcome::Runs(runs.iter().map(run).collect::<Result<_, _>>()?),
            (None, error) => Outcome::Error {
                code: error["code"].as_i64().and_then(|c| i32::try_from(c).ok()).ok_or("no outcome")?,
                message: error["message"].as_str().unwrap_or_default().to_owned(),
            },
        };
        Ok(Record { op: json["op"].as_str().ok_or("no op")?.to_owned(), attrs, inputs, outcome })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<String> = self.inputs.iter().map(|i| format!("{}{}", i.value.dtype(), i.value.shape())).collect();
        let attrs: Vec<String> = self.attrs.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        write!(f, "{}{{{}}}({})", self.op, attrs.join(", "), inputs.join(", "))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Runs(_) => f.write_str("that it is fine"),
            Outcome::Error { code, message } => write!(f, "code {code}, {message}"),
        }
    }
}

fn list(json: &Json) -> Result<&Vec<Json>, String> {
    json.as_array().ok_or_else(|| format!("not a list: {json}"))
}

fn input(json: &Json) -> Result<Input, String> {
    let state = match json["state"].as_str() {
        None => None,
        Some("ref") => Some(State::Ref),
        Some("resource") => Some(State::Resource),
        Some(other) => return Err(format!("state {other}")),
    };
    Ok(Input { value: tensor(json)?, state })
}

fn run(json: &Json) -> Result<Run, String> {
    let tensors = |json: &Json| json.as_array().into_iter().flatten().map(tensor).collect::<Result<Vec<_>, _>>();
    Ok(Run { outputs: tensors(&json["outputs"])?, after: tensors(&json["after"])? })
}

fn tensor(json: &Json) -> Result<Tensor, String> {
    let dtype = json["dtype"].as_str().and_then(DType::from_name).ok_or_else(|| format!("dtype {}", json["dtype"]))?;
    let dims: Vec<i64> = list(&json["shape"])?.iter().filter_map(Json::as_i64).collect();
    let shape = Shape::new(&dims).map_err(|e| e.to_string())?;
    if let Some(strings) = json["strings"].as_array() {
        let elements = strings.iter().map(|s| bytes(s).map(Into::into)).collect::<Result<_, _>>()?;
        return Tensor::strings(shape, elements).map_err(|e| e.to_string());
    }
    Tensor::from_bytes(dtype, shape, &bytes(&json["hex"])?).map_err(|e| e.to_string())
}

/// The bytes of a string of hexadecimal digits.
fn bytes(json: &Json) -> Result<Vec<u8>, String> {
    let text = json.as_str().ok_or_else(|| format!("not a string: {json}"))?;
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok()));
    pairs.collect::<Option<Vec<u8>>>().ok_or_else(|| format!("not hexadecimal: {text}"))
}

fn attr(json: &Json) -> Option<AttrValue> {
    let (kind, value) = json.as_object()?.iter().next()?;
    let dtype = |v: &Json| v.as_str().and_then(DType::from_name).map(EdgeType::value);
    // Strings are recorded byte by byte as Latin-1.
    let string = |v: &Json| v.as_str().map(|s| s.chars().map(|c| c as u8).collect::<Vec<u8>>().into());
    Some(match kind.as_str() {
        "i" => AttrValue::Int(value.as_i64()?),
        "f" => AttrValue::Float(value.as_f64()? as f32),
        "b" => AttrValue::Bool(value.as_bool()?),
        "s" => AttrValue::Str(string(value)?),
        "type" => AttrValue::Type(dtype(value)?),
        "shape" => AttrValue::Shape(shape(value)?),
        "ints" => AttrValue::Ints(value.as_array()?.iter().map(Json::as_i64).collect::<Option<_>>()?),
        "floats" => AttrValue::Floats(value.as_array()?.iter().map(|v| v.as_f64().map(|f| f as f32)).collect::<Option<_>>()?),
        "strings" => AttrValue::Strs(value.as_array()?.iter().map(string).collect::<Option<_>>()?),
        "shapes" => AttrValue::Shapes(value.as_array()?.iter().map(shape).collect::<Option<_>>()?),
        "types" => AttrValue::Types(value.as_array()?.iter().map(dtype).collect::<Option<_>>()?),
        _ => return None,
    })
}

fn shape(json: &Json) -> Option<PartialShape> {
    match json.as_array() {
        None => Some(PartialShape::unknown()),
        Some(dims) => PartialShape::from_numbers(&dims.iter().map(Json::as_i64).collect::<Option<Vec<_>>>()?).ok(),
    }
}
